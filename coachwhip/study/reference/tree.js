// Goes through the steps of a watched search, and checks an exercise. The number of a node is its place in the document.
(() => {
  const one = (query) => document.querySelector(query), nodes = [...document.querySelectorAll(".node")];
  const trees = JSON.parse(one("#data").textContent), main = one("main").classList;
  const stateAfter = (steps) => Object.assign({}, ...steps.map((step) => step.changed)); // mark and label of each node
  let number = 0, at = 0;

  function show(step) {
    const { names, steps } = trees[number];
    at = Math.max(0, Math.min(step, steps.length));
    const state = stateAfter(steps.slice(0, at)), now = steps[at - 1];
    nodes.forEach((node, index) => {
      const [mark, label] = state[index] ?? ["", ""];
      node.setAttribute("class", `node ${mark} ${now?.leaf === index ? "now" : ""}`);
      node.querySelector(".name").textContent = names[index];
      node.querySelector(".bounds").textContent = label;
      node.querySelector("input")?.setAttribute("aria-label", `Cut ${names[index]}`);
    });
    one(".status").textContent = now ? `${now.text}\n${now.window}` : "No leaf is read yet. Go on with Next, or the right arrow.";
    nodes[now?.leaf]?.scrollIntoView({ block: "nearest", inline: "center" });
  }

  function start(practises) {
    main.toggle("practising", practises);
    one("[data-do=exercise]").textContent = practises ? "Show the steps" : "Exercise";
    one(".summary").textContent = trees[number].results;
    one("form").reset();
    show(0);
  }

  one("[data-do=back]").onclick = () => show(at - 1);
  one("[data-do=next]").onclick = () => show(at + 1);
  one("[data-do=exercise]").onclick = () => start(!main.contains("practising"));
  one("[data-do=new]").onclick = () => { number = (number + 1) % trees.length; start(main.contains("practising")); };
  // Marks each value and each branch, with the last sentence about it.
  one("form").onsubmit = (event) => {
    event.preventDefault();
    const { names, steps } = trees[number], state = stateAfter(steps), marks = [], plain = (text) => text.replace(/\s/g, "");
    nodes.forEach((node, index) => {
      const top = nodes.findIndex((other, above) => state[above]?.[0] === "cut" && other.contains(node)), isCut = top !== -1;
      const { text } = steps.findLast(({ changed }) => (isCut ? top : index) in changed);
      const mark = (answer, isRight) => marks.push(`${names[index]} ${answer}: ${isRight ? "right" : "wrong"}. ${text}`);
      const label = state[index]?.[1] ?? "", value = one(`[name=n${index}]`)?.value;
      if (value != null) mark(value || "blank", [label, ...(label.match(/[\d.-]*\d/g) ?? [])].map(plain).includes(plain(value)));
      const isChosen = node.closest(".node:has(> .face :checked)") !== null;
      if (isCut || isChosen) mark(isChosen ? "cut" : "not cut", isCut === isChosen);
    });
    const right = marks.filter((text) => text.includes(": right.")).length;
    one(".verdict").value = [`${right} of ${marks.length} right.`, ...marks].join("\n");
  };
  addEventListener("keydown", (event) => {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!way || main.contains("practising") || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    show(at + way);
  });
  start(main.contains("practising"));
})();
