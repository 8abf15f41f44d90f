import { problemOf } from "./showProblem.js";

const mostRows = 100;

const byId = (id) => document.getElementById(id);
const number = new Intl.NumberFormat();

/** What shows the first rows of one import that failed, as they come, and where the report of all of them is. */
export function errorsView() {
  let shown = 0;
  return async (url, failed) => {
    if (shown < Math.min(failed, mostRows)) {
      const rows = await readRows(url);
      // An earlier answer may come later.
      if (rows.length > shown) byId("errorRows").replaceChildren(...rows.map(errorRow));
      shown = Math.max(shown, rows.length);
    }
    byId("report").href = url;
    byId("errorsCaption").textContent = shown < failed ? `The first ${shown} of ${number.format(failed)}` : `All ${shown}`;
    byId("errors").hidden = false;
  };
}

/** Before any row has failed. */
export function hideErrors() {
  byId("errors").hidden = true;
  byId("errorRows").replaceChildren();
}

async function readRows(url) {
  const response = await fetch(url, { headers: { accept: "application/json" } });
  const text = await response.text();
  if (!response.ok) throw problemOf(response.status, text);
  return JSON.parse(text).errors.slice(0, mostRows);
}

function errorRow({ row, line, code, errors, cells, value, text }) {
  const element = document.createElement("tr");
  const came = cells === undefined ? (text ?? JSON.stringify(value) ?? "") : cells.map((cell) => cell ?? "").join(", ");
  const details = errors.map(({ field, detail }) => (field === undefined || detail.includes(`"${field}"`) ? detail : `${field}: ${detail}`));
  for (const content of [row, line, code, details.join(" "), came]) {
    const cell = document.createElement("td");
    // What came in a file is text, never markup.
    cell.textContent = content;
    element.append(cell);
  }
  return element;
}
