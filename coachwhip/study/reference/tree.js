// Goes through the steps of a watched search, and checks an exercise. The number of a node is its place in the document.
(() => {
  const one = (query) => document.querySelector(query), nodes = [...document.querySelectorAll(".node")];
  const trees = JSON.parse(one("#data").textContent), main = one("main").classList;
  const stateAfter = (steps) => Object.assign({}, ...steps.map((step) => step.changed)); // mark and label of each node
  const field = (node, kind) => node.querySelector(`:scope > .face ${kind}`);
  const inputs = nodes.flatMap((node) => [field(node, ".value"), field(node, "[type=checkbox]")].filter(Boolean));
  let number = 0, at = 0;

  function show(step) {
    const { names, steps } = trees[number];
    at = Math.max(0, Math.min(step, steps.length));
    const state = stateAfter(steps.slice(0, at)), now = steps[at - 1];
    nodes.forEach((node, index) => {
      const [mark, label] = state[index] ?? ["", ""];
      node.setAttribute("class", `node ${mark} ${now?.leaf === index ? "now" : ""}`);
      field(node, ".name").textContent = names[index];
      field(node, ".bounds").textContent = label;
      field(node, "[type=checkbox]")?.setAttribute("aria-label", `Cut ${names[index]}`);
      field(node, ".value")?.setAttribute("aria-label", `Value of ${names[index]}`);
    });
    one(".status").textContent = now ? `${now.text}\n${now.window}` : "No leaf is read yet. Go on with Next, or the right arrow.";
    nodes[now?.leaf]?.scrollIntoView({ block: "nearest", inline: "center" });
  }

  function start(practises) {
    main.toggle("practising", practises);
    one("[data-do=exercise]").textContent = practises ? "Show the steps" : "Exercise";
    one(".summary").textContent = practises ? "" : trees[number].results;
    one("form").reset();
    inputs.forEach(unmark);
    show(0);
    if (practises) one(".status").textContent = "";
  }

  function unmark(input) {
    delete input.dataset.mark;
    input.removeAttribute("aria-invalid");
  }

  // --- A value or a bound, as people write it ---

  const NUMBER = String.raw`([-+]?(?:\d+(?:[./,]\d+)?|\.\d+))`;
  const SAME = [ // one form for all: 3, ≤3, ≥3 or 3…14
    [/\s/g, ""], [/[−–]/g, "-"], [/^\[(.*)[,;](.*)\]$/, "$1…$2"], [/between/, ""], [/\.{2,}|to|and|[;:]/g, "…"],
    [/=<|<=?|⩽|at_?most|max(imum)?|up…/g, "≤"], [/=>|>=?|⩾|at_?least|min(imum)?|from/g, "≥"],
    [/^(.*)(orless|orlower)$/, "≤$1"], [/^(.*)(ormore|orhigher)$/, "≥$1"], [/^[a-z]\d*(is|=|(?=[≤≥]))/, ""],
    [/≤[a-z]\d*≤/, "…"], [/^(.+)≤([a-z]\d*)?$/, "≥$1"], [/^(.+)≥([a-z]\d*)?$/, "≤$1"],
  ];

  function value(text) {
    const [above, below] = text.replace(",", ".").split("/");
    return Number(above) / Number(below ?? 1);
  }

  // The lowest and the highest value that a text allows, or null; of a vector its numbers.
  function read(written) {
    const text = SAME.reduce((changed, [form, same]) => changed.replace(form, same), written.toLowerCase());
    if (/^\(.*\)$/.test(text)) return text.slice(1, -1).split(/[,…]/).map(value);
    const [, sign, low, high] = RegExp(`^([≤≥]?)${NUMBER}(?:[…,-]${NUMBER})?$`).exec(text) ?? [];
    if (!low) return null;
    return [sign === "≤" ? -Infinity : value(low), sign === "≥" ? Infinity : value(high ?? low)];
  }

  // Whether an answer is the value or the bounds of a node; one number is also right for either bound.
  function isRight(written, label) {
    if (!label) return written.trim() === "";
    const near = (one, other) => one === other || Math.abs(one - other) < 0.005, answer = read(written), known = read(label);
    if (!answer?.length) return false;
    return (answer.length === known.length && answer.every((number, side) => near(number, known[side])))
      || (!label.startsWith("(") && near(...answer) && known.some((bound) => near(answer[0], bound)));
  }

  // Each field and box: what is written and what is right, with the last sentence about it.
  function answers() {
    const { names, steps } = trees[number], state = stateAfter(steps), isTicked = (node) => field(node, ":checked") !== null;
    return nodes.flatMap((node, index) => {
      const above = nodes.filter((other) => other.contains(node)), label = state[index]?.[1] ?? "";
      const top = above.find((other) => state[nodes.indexOf(other)]?.[0] === "cut");
      const { text } = steps.findLast(({ changed }) => (top ? nodes.indexOf(top) : index) in changed), both = { name: names[index], text };
      const input = field(node, ".value"), box = field(node, "[type=checkbox]"), filled = input?.value.trim() !== "";
      return [
        input && { ...both, input, answer: input.value, filled, right: isRight(input.value, label), missing: label && !filled,
          solution: label || "cut, no value" },
        box && { ...both, input: box, answer: "cut", filled: box.checked, right: Boolean(top), missing: top === node && !above.some(isTicked),
          solution: top ? "cut" : "not cut" },
      ].filter(Boolean);
    });
  }

  // Marks what is filled in, and says whether something is missing.
  function check() {
    const all = answers(), filled = all.filter((each) => each.filled), wrong = filled.filter((each) => !each.right);
    inputs.forEach(unmark);
    for (const { input, right } of filled) {
      input.dataset.mark = right ? "right" : "wrong";
      input.setAttribute("aria-invalid", String(!right));
    }
    const rest = all.some((each) => each.missing) ? "; something is still missing" : wrong.length ? "." : ". That is all.";
    one(".verdict").value = [
      `${filled.length - wrong.length} of ${filled.length} right${rest}`,
      ...filled.map(({ name, answer, right }) => `${name} ${answer}: ${right ? "right" : "wrong"}`),
    ].join("\n");
  }

  function solution() {
    const lines = answers().filter((each) => each.input.type === "text" || each.missing || (each.filled && !each.right));
    one(".verdict").value = lines.map(({ name, solution: right, text }) => `${name}: ${right}. ${text}`).join("\n");
  }

  one("[data-do=back]").onclick = () => show(at - 1);
  one("[data-do=next]").onclick = () => show(at + 1);
  one("[data-do=exercise]").onclick = () => start(!main.contains("practising"));
  one("[data-do=new]").onclick = () => { number = (number + 1) % trees.length; start(main.contains("practising")); };
  one("[data-do=solution]").onclick = solution;
  one("form").onsubmit = (event) => {
    event.preventDefault();
    check();
  };
  addEventListener("keydown", (event) => {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!way || main.contains("practising") || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    show(at + way);
  });
  start(main.contains("practising"));
})();
