/** What the API, or the way to it, says is wrong: the document of RFC 9457, or the `detail` alone. */
export class Problem extends Error {
  constructor(problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** The problem that an answer tells of; one of its own where it tells of none. */
export function problemOf(status, text) {
  try {
    const problem = JSON.parse(text);
    if (typeof problem.title === "string") return new Problem({ detail: problem.title, ...problem });
  } catch {
    // Whatever stands between here and the API does not speak of problems.
  }
  return new Problem({ detail: `The server gave an answer that was not expected, with status ${status}.` });
}

const byId = (id) => document.getElementById(id);

/** Shows what is wrong, and all of its errors; nothing without one. */
export function showProblem(error) {
  byId("problem").hidden = error === undefined;
  if (error === undefined) return;
  const { title, detail, code, errors = [] } = error.problem ?? { title: "The page failed", detail: String(error) };
  byId("problemDetail").textContent = detail;
  byId("problemTitle").textContent = [title, code].filter((part) => part !== undefined).join(" · ");
  // One that stands alone is what the detail says already.
  const isTold = errors.length === 1 && errors[0].detail === detail;
  byId("problemErrors").replaceChildren(...(isTold ? [] : errors.map(errorItem)));
}

function errorItem({ code, detail }) {
  const item = document.createElement("li");
  const name = document.createElement("code");
  name.textContent = code;
  item.append(detail, " ", name);
  return item;
}
