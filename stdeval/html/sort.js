"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  const value = (row, place, numeric) => {
    const shown = row.cells[place].textContent;
    return numeric ? parseFloat(shown) : shown;
  };
  const compare = (a, b, numeric) => (numeric ? a - b : a.localeCompare(b, "en", { numeric: true }));
  const sort = (place) => {
    const numeric = heads[place].classList.contains("number");
    const now = heads[place].getAttribute("aria-sort");
    const falling = now ? now === "ascending" : numeric;
    const rows = [...table.tBodies[0].rows].map((row) => [value(row, place, numeric), row]);
    rows.sort(([a], [b]) => {
      if (a !== a || b !== b) return (a !== a) - (b !== b);
      return falling ? compare(b, a, numeric) : compare(a, b, numeric);
    });
    table.tBodies[0].append(...rows.map(([, row]) => row));
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    heads[place].setAttribute("aria-sort", falling ? "descending" : "ascending");
  };
  heads.forEach((head, place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    button.addEventListener("click", () => sort(place));
    head.replaceChildren(button);
  });
}
