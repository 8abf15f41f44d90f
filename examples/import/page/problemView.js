import { ApiError } from "./client.js";
import { wordsOf } from "./words.js";

const byId = (id) => document.getElementById(id);

/** Shows a problem and all of its errors; hides the section without one. */
export function showProblem(error) {
  byId("problem").hidden = error === undefined;
  if (error === undefined) return;
  const { code, errors } = error instanceof ApiError ? error : { code: undefined, errors: [] };
  byId("problemDetail").textContent = errors.length > 1 ? `${errors.length} things are wrong with the file` : wordsOf(error);
  byId("problemCode").textContent = code;
  byId("problemCode").hidden = code === undefined || errors.length > 1;
  // A single error is the heading already.
  byId("problemErrors").replaceChildren(...(errors.length > 1 ? errors.map(errorItem) : []));
}

function errorItem({ code, detail }) {
  const item = document.createElement("li");
  const name = document.createElement("code");
  name.textContent = code;
  item.append(detail, " ", name);
  return item;
}
