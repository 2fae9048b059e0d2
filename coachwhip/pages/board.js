"use strict";
// Draws boards, and lets a person move on them. There are no rules of chess here: the legal moves come with the page.
const NAMES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
const SVG = "http://www.w3.org/2000/svg";
const MARGIN = 15, SIZE = 45, WIDTH = 390; // of the boards of chess.svg
const one = (query, within = document) => within.querySelector(query);
const all = (query, within = document) => [...within.querySelectorAll(query)];
const colourOf = (sign) => (sign === sign.toUpperCase() ? "white" : "black");
const isFlipped = (holder) => holder.dataset.side === "black"; // Black is at the bottom
const squareOf = (rect) => [...rect.classList].find((word) => /^[a-h][1-8]$/.test(word));

// What the browser keeps under a name: nothing (null) where its storage is blocked, full or absent.
const kept = (name) => { try { return localStorage.getItem(name); } catch { return null; } };
const keep = (name, value) => { try { localStorage.setItem(name, value); } catch {} };

// Returns the upper left corner of a square.
function corner(square, flipped) {
  const file = square.charCodeAt(0) - 97, rank = square.charCodeAt(1) - 49;
  return [MARGIN + SIZE * (flipped ? 7 - file : file), MARGIN + SIZE * (flipped ? rank : 7 - rank)];
}

function add(parent, name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent.append(element);
  return element;
}

// Returns the pieces of a FEN: {e1: "K"}.
function piecesOf(fen) {
  const pieces = {};
  fen.split(" ")[0].split("/").forEach((row, down) => {
    let file = 0;
    for (const sign of row) {
      if (sign >= "1" && sign <= "8") file += Number(sign);
      else pieces["abcdefgh"[file++] + (8 - down)] = sign;
    }
  });
  return pieces;
}

// Returns the position in words: "White: king e1, queen d1. Black: king e8. White to move."
function inWords(fen) {
  const pieces = Object.entries(piecesOf(fen)), turn = fen.split(" ")[1] === "w" ? "White" : "Black";
  const side = (signs) => [...signs].flatMap((sign) => {
    const squares = pieces.filter(([, piece]) => piece === sign).map(([square]) => square).sort();
    return squares.length ? `${NAMES[sign.toLowerCase()]}${squares.length > 1 ? "s" : ""} ${squares.join(" ")}` : [];
  }).join(", ");
  return `White: ${side("KQRBNP")}. Black: ${side("kqrbnp")}. ${turn} to move.`;
}

// Draws the better move as a solid line, the reply as a dashed one: they differ without colours, too.
function drawArrow(group, [from, to], flipped, kind) {
  const [x1, y1] = corner(from, flipped).map((edge) => edge + SIZE / 2);
  const [x2, y2] = corner(to, flipped).map((edge) => edge + SIZE / 2);
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (!length) return;
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [x3, y3] = [x2 - 18 * dx, y2 - 18 * dy]; // where the arrowhead begins
  add(group, "line", { class: `arrow ${kind}`, x1, y1, x2: x3, y2: y3, "stroke-width": 7 });
  const head = [[x2, y2], [x3 - 11 * dy, y3 + 11 * dx], [x3 + 11 * dy, y3 - 11 * dx]];
  add(group, "polygon", { class: `arrow ${kind}`, "stroke-width": 0, points: head.map((point) => point.join(",")).join(" ") });
}

// Draws a position: `fen`, `text` (its last move), and if known the FEN `before` that move, a `better` move and a `reply`.
function drawBoard(holder, position) {
  const svg = one("svg", holder), flipped = isFlipped(holder);
  const pieces = piecesOf(position.fen), before = piecesOf(position.before ?? position.fen);
  const king = /[+#]/.test(position.text) && (position.fen.split(" ")[1] === "w" ? "K" : "k");
  for (const square of all("rect.square", svg)) {
    const name = squareOf(square);
    square.classList.toggle("last", pieces[name] !== before[name]);
    square.classList.toggle("check", Boolean(king) && pieces[name] === king);
  }
  all("g.placed, g.targets", svg).forEach((group) => group.remove());
  const group = add(svg, "g", { class: "placed" });
  for (const [square, sign] of Object.entries(pieces)) {
    const [x, y] = corner(square, flipped), href = `#${colourOf(sign)}-${NAMES[sign.toLowerCase()]}`;
    add(group, "use", { href, transform: `translate(${x}, ${y})`, "data-square": square });
  }
  for (const kind of ["reply", "better"]) if (position[kind]) drawArrow(group, position[kind].move, flipped, kind);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `Board: ${position.text}. ${inWords(position.fen)}`);
}

// Lets a person move on a board that has been drawn, by two clicks or by dragging; calls `made` with the move.
// `legal` are the moves: {uci: "e7e8q", san: "e8=Q", to: ["e8"]}; castling may have two squares, those of king and rook. With none
// of them the board takes no moves.
function enterMoves(holder, legal, made) {
  const svg = one("svg", holder);
  let from = "", drag = null; // the square of the chosen piece; where it was gripped
  const under = ({ clientX, clientY }) => {
    const rect = document.elementsFromPoint(clientX, clientY).find((element) => svg.contains(element) && element.matches("rect.square"));
    return rect ? squareOf(rect) : "";
  };
  const movesOf = (square) => legal.filter((move) => move.uci.startsWith(square));
  const choose = (square) => {
    from = square && movesOf(square).length ? square : "";
    one("g.targets", svg)?.remove();
    const targets = add(svg, "g", { class: "targets" });
    one("g.placed", svg).before(targets);
    if (!from) return;
    for (const to of [from, ...new Set(movesOf(from).flatMap((move) => move.to))]) {
      const [x, y] = corner(to, isFlipped(holder)), taken = to !== from && one(`use[data-square=${to}]`, svg);
      if (to === from) add(targets, "rect", { class: "from", x, y, width: SIZE, height: SIZE });
      else add(targets, "circle", { class: taken ? "taken" : "free", cx: x + SIZE / 2, cy: y + SIZE / 2, r: taken ? 19 : 7 });
    }
  };
  // Makes the chosen piece's move to a square; returns whether it has one.
  const move = (square) => {
    const moves = movesOf(from || "none").filter(({ to }) => to.includes(square));
    if (!moves.length) return false;
    choose("");
    if (moves.length > 1) choosePromotion(moves, made);
    else made(moves[0]);
    return true;
  };
  holder.classList.toggle("entering", legal.length > 0);
  holder.onpointerdown = (event) => {
    const square = under(event);
    if (!event.isPrimary || event.button || (square !== from && move(square))) return;
    choose(square);
    if (!from) return;
    drag = { x: event.clientX, y: event.clientY, piece: one(`use[data-square=${from}]`, svg) };
    holder.setPointerCapture(event.pointerId);
  };
  holder.onpointermove = (event) => {
    const scale = WIDTH / svg.getBoundingClientRect().width;
    if (drag) drag.piece.style.translate = `${scale * (event.clientX - drag.x)}px ${scale * (event.clientY - drag.y)}px`;
  };
  holder.onpointerup = holder.onpointercancel = (event) => {
    if (!drag) return;
    drag.piece.style.translate = "";
    drag = null;
    if (event.type === "pointerup" && under(event) !== from) move(under(event));
  };
}

// Draws a position on the page's board, from both sides, and takes moves there; see `enterMoves`.
function showPosition(position, legal, made) {
  for (const holder of all(".stage .board")) {
    drawBoard(holder, position);
    enterMoves(holder, legal, made);
  }
}

function linkTo(text, hash, isShown) {
  const link = document.createElement("a");
  link.href = hash;
  link.textContent = text;
  if (isShown) link.setAttribute("aria-current", "true");
  return link;
}

// Returns the moves of a line's text, each with its number if it has one.
const splitLine = (text) => text.match(/\d+\.+ ?\S+|\S+/g) ?? [];

// Returns the moves of a line as links; `start` and a number from 1 on are the address of each.
function lineLinks(text, start) {
  return splitLine(text).flatMap((move, index) => [" ", linkTo(move, start + (index + 1), location.hash === start + (index + 1))]);
}

// Returns an item of the list of lines.
function lineItem([score, text], start) {
  const item = document.createElement("li"), bold = document.createElement("b");
  bold.textContent = score;
  item.append(bold, ...lineLinks(text, start));
  return item;
}

// Shows at each player the pieces that the other side has lost since the position `first`, and the pawns that he is ahead.
function showCaptured(fen, first) {
  const values = { p: 1, n: 3, b: 3, r: 5, q: 9 }, now = Object.values(piecesOf(fen)), then = Object.values(piecesOf(first));
  const count = (signs, sign) => signs.filter((each) => each === sign).length;
  const worth = (change) => now.reduce((sum, sign) => sum + (change(sign) === sign ? values[sign.toLowerCase()] ?? 0 : 0), 0);
  const lead = worth((sign) => sign.toUpperCase()) - worth((sign) => sign.toLowerCase());
  for (const [side, change, ahead] of [["white", "toLowerCase", lead], ["black", "toUpperCase", -lead]]) {
    const captured = one(`.seat[data-side=${side}] .captured`), lost = [..."qrbn"].map((kind) => count(then, kind[change]()) - count(now, kind[change]()));
    const promoted = lost.reduce((sum, number) => sum + Math.max(0, -number), 0), pawn = "p"[change]();
    const kinds = [...lost.flatMap((number, index) => Array(Math.max(0, number)).fill("qrbn"[index])),
      ...Array(Math.max(0, count(then, pawn) - count(now, pawn) - promoted)).fill("p")];
    captured.textContent = "";
    for (const kind of kinds) {
      const href = `#${colourOf(kind[change]())}-${NAMES[kind]}`;
      add(add(captured, "svg", { viewBox: "0 0 45 45" }), "use", { href });
    }
    captured.append(ahead > 0 ? `+${ahead}` : "");
    captured.setAttribute("aria-label", kinds.length ? `has captured ${kinds.map((kind) => NAMES[kind]).join(", ")}` : "has captured nothing");
  }
}

// Returns the legal move that a person wrote: e4, Nf3, O-O, e2e4 or Ng1-f3, also in small letters.
function readMove(legal, text) {
  const figure = (sign) => "KQRBN"[(sign.charCodeAt(0) - 0x2654) % 6] ?? "";
  const plain = (move) => move.replace(/[+#=\s\ufe0e\ufe0f]/g, "").replaceAll("0", "O").replace(/[♔-♟]/g, figure);
  const small = (move) => plain(move).toLowerCase();
  const [, piece, from, to] = /^([KQRBN]?)([a-h][1-8])[-x:]?([a-h][1-8][QRBN]?)$/i.exec(plain(text)) ?? [];
  return legal.find(({ san }) => plain(san) === plain(text)) ?? legal.find(({ san, uci }) => [small(san), uci].includes(small(text)))
    ?? legal.find(({ san, uci }) => uci === small(`${from}${to}`) && small(san).startsWith(small(piece)));
}

// Asks for the piece of a promotion.
function choosePromotion(moves, made) {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-label", "Promote the pawn to");
  for (const move of moves) {
    const button = document.createElement("button"), name = NAMES[move.uci[4]];
    const colour = move.to[0].endsWith("8") ? "white" : "black";
    add(add(button, "svg", { viewBox: "0 0 45 45", "aria-hidden": "true" }), "use", { href: `#${colour}-${name}` });
    button.append(name);
    button.onclick = () => { dialog.close(); made(move); };
    dialog.append(button);
  }
  dialog.onclose = () => dialog.remove();
  document.body.append(dialog);
  dialog.showModal();
}
