"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const tables = [...document.querySelectorAll("table.data")];
const filled = (element, attributes, content) => {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...content);
  return element;
};
const make = (name, attributes = {}, ...content) => filled(document.createElement(name), attributes, content);
const SVG = "http://www.w3.org/2000/svg";
const draw = (name, attributes, ...content) => filled(document.createElementNS(SVG, name), attributes, content);
// a 0 has no sign
const fixed = (x, digits = 4) => x.toFixed(digits).replace(/^-(?=[0.]*$)/, "");
const shown = (x) => (x === null ? "–" : fixed(x));
const signed = (x, digits = 4) => fixed(x, digits).replace(/^(?!-)/, "+");
const named = (name) => make("bdi", {}, name);
// the rows of runs or topics, without those that a topic has opened
const rowsOf = (table) => [...table.tBodies[0].rows].filter((row) => row.dataset.place !== undefined);

// ---- tables: sorting, CSV, rows that open

// runs without a rank stay below the others, because their means are over other topics
const setAside = (table, row) => Number(table.dataset.of === "run" && Number(row.dataset.place) >= data.ranked);

function closeAll(table) {
  for (const button of table.querySelectorAll("[aria-expanded=true]")) button.click();
}

function sortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  const value = (row, place, numeric) => {
    const cell = row.cells[place];
    return numeric ? parseFloat(cell.textContent) : cell.textContent.trim();
  };
  const compare = (a, b, numeric) => (numeric ? a - b : a.localeCompare(b, "en", { numeric: true }));
  const sort = (place) => {
    const numeric = heads[place].classList.contains("number");
    const now = heads[place].getAttribute("aria-sort");
    const falling = now ? now === "ascending" : !("rising" in heads[place].dataset);
    closeAll(table);
    const rows = rowsOf(table).map((row) => [value(row, place, numeric), row]);
    rows.sort(([a, one], [b, other]) => {
      if (setAside(table, one) !== setAside(table, other)) return setAside(table, one) - setAside(table, other);
      if (a !== a || b !== b) return (a !== a) - (b !== b);
      return falling ? compare(b, a, numeric) : compare(a, b, numeric);
    });
    table.tBodies[0].append(...rows.map(([, row]) => row));
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    heads[place].setAttribute("aria-sort", falling ? "descending" : "ascending");
  };
  heads.forEach((head, place) => {
    // The title stays outside of the button: browsers repeat it at the top of each printed page, but not buttons.
    const button = make("button", { type: "button", "aria-label": `Sort by ${head.textContent}` });
    head.append(button);
    head.addEventListener("click", () => sort(place));
  });
}

function csv(table) {
  const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const heads = [...table.tHead.rows[0].cells].map((head) => head.textContent.trim());
  const rows = rowsOf(table).filter((row) => !row.hidden);
  const intervals = heads.map((_, place) => rows.some((row) => row.cells[place].querySelector("small")));
  const parts = (cell, place) => {
    const small = cell.querySelector("small");
    const text = (small ? cell.firstChild.textContent : (cell.querySelector("span") || cell).textContent).trim();
    const ends = small ? small.textContent.slice(1, -1).split(", ") : ["", ""];
    const cells = [text, ...(intervals[place] ? ends : [])];
    return cells.map((part) => (part === "–" ? "" : /^\+[0-9.]+$/.test(part) ? part.slice(1) : part));
  };
  const header = heads.flatMap((head, i) => (intervals[i] ? [head, `${head}.low`, `${head}.high`] : [head]));
  const lines = [header, ...rows.map((row) => [...row.cells].flatMap(parts))];
  return lines.map((line) => line.map(quoted).join(",") + "\n").join("");
}

function downloadable(table) {
  const label = `CSV of this table: ${table.caption.textContent}`;
  const button = make("button", { type: "button", class: "csv", "aria-label": label }, "CSV");
  button.addEventListener("click", () => {
    const link = make("a", { download: `${table.id.slice("table-".length)}.csv` });
    link.href = URL.createObjectURL(new Blob([csv(table)], { type: "text/csv" }));
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
  table.parentElement.before(button);
}

function openable(table) {
  for (const row of rowsOf(table)) {
    const topic = row.dataset.place;
    const label = `All runs on topic ${data.topics[topic]}`;
    const button = make("button", { type: "button", "aria-expanded": "false", class: "open", "aria-label": label });
    button.addEventListener("click", () => {
      const isOpen = button.getAttribute("aria-expanded") === "true";
      button.setAttribute("aria-expanded", String(!isOpen));
      if (isOpen) row.nextElementSibling.remove();
      else row.after(scoresOfTopic(topic, row.cells.length));
    });
    row.cells[0].prepend(button);
  }
}

function scoresOfTopic(topic, width) {
  const items = data.runs.map((run, i) => {
    const scores = data.kinds.map((kind) => `${kind.name} ${shown(kind.scores[i][topic])}`).join(", ");
    return make("li", {}, named(run), ` ${scores}`);
  });
  return make("tr", { class: "opened" }, make("td", { colspan: width }, make("ol", {}, ...items)));
}

function scrollHint(region, what) {
  const hint = make("p", { class: "wider" }, `Scroll sideways for ${what} →`);
  region.before(hint);
  const fit = () => (hint.hidden = region.scrollWidth <= region.clientWidth + 1);
  new ResizeObserver(fit).observe(region);
  fit();
}

for (const table of tables) {
  sortable(table);
  downloadable(table);
  if (table.dataset.of === "topic") openable(table);
  table.caption.append(make("span", { class: "showing" }));
  scrollHint(table.parentElement, "more columns");
}
for (const drawn of document.querySelectorAll(".drawn")) scrollHint(drawn, "the whole picture");

// ---- print: a table with too many columns for a page becomes several, sorted and filtered as on the screen

const partsOf = (table) => [...table.tHead.rows[0].cells].map((head) => Number(head.dataset.part || 0));

function partOf(table, part, n) {
  const made = table.cloneNode(true);
  const places = partsOf(table);
  made.removeAttribute("id");
  made.classList.remove("wide");
  made.caption.append(` Part ${part + 1} of ${n}.`);
  for (const row of made.rows) [...row.cells].forEach((cell, i) => i && places[i] !== part && cell.remove());
  made.style.setProperty("--columns", places.filter((place) => place === 0).length);
  return made;
}

function join() {
  for (const parts of document.querySelectorAll(".parts")) parts.remove();
}

function split() {
  join();
  for (const table of tables) {
    const n = Math.max(...partsOf(table)) + 1;
    const parts = Array.from({ length: n }, (_, part) => partOf(table, part, n));
    if (n > 1) table.before(make("div", { class: "parts" }, ...parts));
  }
}

window.addEventListener("beforeprint", split);
window.addEventListener("afterprint", join);

// ---- the filter over runs and topics

function filter() {
  const counts = [];
  for (const of of ["run", "topic"]) {
    const part = document.getElementById(`filter-${of}`).value.toLowerCase();
    const names = data[`${of}s`];
    const fits = names.map((name) => name.toLowerCase().includes(part));
    counts.push(`${fits.filter(Boolean).length} of ${names.length} ${of}${names.length === 1 ? "" : "s"}`);
    for (const table of tables.filter((each) => each.dataset.of === of)) {
      closeAll(table);
      const rows = rowsOf(table);
      for (const row of rows) row.hidden = !fits[row.dataset.place];
      const n = rows.filter((row) => !row.hidden).length;
      table.caption.querySelector(".showing").textContent = n < rows.length ? ` Showing ${n} of ${rows.length}.` : "";
    }
  }
  document.querySelector(".filters output").textContent = `Showing ${counts.join(", ")}.`;
}

const filters = document.querySelector(".filters");
filters.hidden = false;
filters.addEventListener("input", filter);
filters.addEventListener("submit", (event) => event.preventDefault());
filter();

// ---- two runs compared

function differences(kind, first, second) {
  const scale = 10 ** kind.decimals;
  const areRanked = Math.max(first, second) < data.ranked;
  return data.topics
    .map((_, t) => [t, kind.scores[first][t], kind.scores[second][t]])
    .filter(([t, a, b]) => a !== null && b !== null && (!areRanked || !kind.common || kind.common[t]))
    .map(([t, a, b]) => [t, Math.round((a - b) * scale) / scale])
    .sort(([, a], [, b]) => b - a);
}

function words(kind, first, second, pairs) {
  if (first === second) return ["Choose two runs."];
  if (!pairs.length) return ["These runs have no topic in common."];
  const mean = pairs.reduce((sum, [, d]) => sum + d, 0) / pairs.length;
  const wins = pairs.filter(([, d]) => d > 0).length;
  const losses = pairs.filter(([, d]) => d < 0).length;
  const [p, half] = kind.tests[Math.max(first, second) - 1][Math.min(first, second)] ?? [];
  const lost = pairs.filter(([, d]) => d < 0).slice(-3).reverse();
  return [
    named(data.runs[first]), " minus ", named(data.runs[second]), ": ", named(kind.name), ` ${signed(mean)}`,
    half === undefined || half === null ? "" : ` [${fixed(mean - half)}, ${fixed(mean + half)}]`,
    p === undefined ? ", not tested" : `, ${data.adjusted}p ${p}`,
    `; wins ${wins}, ties ${pairs.length - wins - losses}, loses ${losses} of ${pairs.length} topics`,
    ...lost.flatMap(([t, d], i) => [i ? ", " : `; loses most on topic${lost.length > 1 ? "s" : ""} `, named(data.topics[t]), ` (${signed(d, 2)})`]), ".",
  ];
}

function bars(kind, first, second, pairs) {
  const [most, least] = [Math.max(0, pairs[0][1]), Math.min(0, pairs.at(-1)[1])];
  const unit = 200 / (most - least || 1);
  const zero = unit * most;
  const width = 640 / Math.max(pairs.length, 8);
  const drawn = pairs.map(([t, d], i) => {
    const tall = unit * Math.abs(d);
    const text = `${data.topics[t]}: ${signed(d)} (${shown(kind.scores[first][t])} minus ${shown(kind.scores[second][t])})`;
    // a bar of the whole height catches the pointer where the difference is small
    return draw("g", { class: d > 0 ? "higher" : "lower" }, draw("title", {}, text),
      draw("rect", { x: i * width, y: 0, width, height: 200, class: "whole" }),
      draw("rect", { x: (i + 0.08) * width, y: d > 0 ? zero - tall : zero, width: 0.84 * width, height: tall }));
  });
  const labels = most === least
    ? [draw("text", { x: 320, y: 100, "text-anchor": "middle" }, "all differences are 0")]
    : [draw("text", { x: 0, y: -3 }, signed(most, 3)), draw("text", { x: 640, y: 213, "text-anchor": "end" }, signed(least, 3))];
  const title = `Differences in ${kind.name} by topic: ${data.runs[first]} minus ${data.runs[second]}`;
  const svg = draw("svg", { viewBox: "-2 -14 644 230", role: "img", "aria-label": title }, ...drawn,
    draw("line", { x1: 0, x2: 640, y1: zero, y2: zero }), ...labels);
  return make("figure", { class: "bars" }, svg, make("figcaption", {}, named(data.runs[first]), " minus ",
    named(data.runs[second]), `: ${kind.name}, topic by topic. Point at a bar for its topic.`));
}

if (data.pair) {
  const pickers = document.querySelector(".pickers");
  const [first, second, kind] = ["first", "second", "kind"].map((id) => document.getElementById(id));
  const options = (names) => names.map((name, i) => make("option", { value: i }, name));
  first.append(...options(data.runs));
  second.append(...options(data.runs));
  kind.append(...options(data.kinds.map((each) => each.name)));
  [first.value, second.value] = data.pair;
  kind.value = data.kinds.findIndex((each) => each.scheme === data.shown);
  const redrawn = document.getElementById("redrawn");
  const still = document.getElementById("figure-differences");
  const redraw = () => {
    const [a, b] = [Number(first.value), Number(second.value)];
    const by = data.kinds[kind.value];
    const pairs = a === b ? [] : differences(by, a, b);
    document.getElementById("compared").replaceChildren(...words(by, a, b, pairs));
    redrawn.replaceChildren(...(pairs.length ? [bars(by, a, b, pairs)] : []));
    if (pairs.length) scrollHint(redrawn.firstChild, "the whole picture");
    // the picture of the page stays for print as long as it shows the same two runs
    const isSame = a === data.pair[0] && b === data.pair[1] && by.scheme === data.shown;
    still.classList.add("still");
    still.classList.toggle("outdated", !isSame);
    redrawn.classList.toggle("same", isSame);
  };
  pickers.hidden = redrawn.hidden = false;
  pickers.addEventListener("change", redraw);
  redraw();
}

// ---- the heat map: run, topic and score

const tip = make("div", { id: "tip", role: "status", hidden: "" });
document.body.append(tip);
const heatmap = document.querySelector("#figure-heatmap");
const boxes = JSON.parse(heatmap.dataset.boxes);

function cellAt(event) {
  const place = heatmap.querySelector("svg").getBoundingClientRect();
  const [x, y] = [(event.clientX - place.left) / place.width, (event.clientY - place.top) / place.height];
  for (const [k, [left, top, width, height]] of boxes.entries()) {
    const topic = Math.floor(((x - left) / width) * data.topics.length);
    const run = Math.floor(((y - top) / height) * data.runs.length);
    if (topic >= 0 && topic < data.topics.length && run >= 0 && run < data.runs.length) return [k, run, topic];
  }
  return null;
}

heatmap.addEventListener("pointermove", (event) => {
  const cell = cellAt(event);
  tip.hidden = cell === null;
  if (cell === null) return;
  const [k, run, topic] = cell;
  const score = `: ${data.kinds[k].name} ${shown(data.kinds[k].scores[run][topic])}`;
  tip.replaceChildren(named(data.runs[run]), ", topic ", named(data.topics[topic]), score);
  tip.style.left = `${Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 8)}px`;
  tip.style.top = `${event.clientY + 16}px`;
});
heatmap.addEventListener("pointerleave", () => (tip.hidden = true));
