import { problemOf } from "./showProblem.js";

const maxRows = 100;

const byId = (id) => document.getElementById(id);
const number = new Intl.NumberFormat();

/** Returns a function that shows the first failed rows of one import, and the link of the report of all of them. */
export function errorsView() {
  let shown = 0;
  return async (url, failed) => {
    if (shown < Math.min(failed, maxRows)) {
      const rows = await readRows(url);
      // An earlier response may arrive later.
      if (rows.length > shown) byId("errorRows").replaceChildren(...rows.map(errorRow));
      shown = Math.max(shown, rows.length);
    }
    byId("report").href = url;
    byId("errorsCaption").textContent = shown < failed ? `The first ${shown} of ${number.format(failed)}` : `All ${shown}`;
    byId("errors").hidden = false;
  };
}

/** Hides the rows of an earlier import. */
export function hideErrors() {
  byId("errors").hidden = true;
  byId("errorRows").replaceChildren();
}

async function readRows(url) {
  const response = await fetch(url, { headers: { accept: "application/json" } });
  const text = await response.text();
  if (!response.ok) throw problemOf(response.status, text);
  return JSON.parse(text).errors.slice(0, maxRows);
}

function errorRow({ row, line, code, errors, cells, value, text }) {
  const element = document.createElement("tr");
  const content = cells === undefined ? (text ?? JSON.stringify(value) ?? "") : cells.map((cell) => cell ?? "").join(", ");
  const details = errors.map(({ field, detail }) => (field === undefined || detail.includes(`"${field}"`) ? detail : `${field}: ${detail}`));
  for (const value of [row, line, code, details.join(" "), content]) {
    const cell = document.createElement("td");
    // `textContent`, so that cells of the file cannot become markup.
    cell.textContent = value;
    element.append(cell);
  }
  return element;
}
