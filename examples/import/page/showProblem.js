/** A problem document (RFC 9457), or a `detail` alone if there was no response. */
export class Problem extends Error {
  constructor(problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** The problem of a response; a general one if the body is not a problem. */
export function problemOf(status, text) {
  try {
    const problem = JSON.parse(text);
    if (typeof problem.title === "string") return new Problem({ detail: problem.title, ...problem });
  } catch {
    // The response is of a proxy, not of the API.
  }
  return new Problem({ detail: `The server sent an unexpected response with status ${status}.` });
}

const byId = (id) => document.getElementById(id);

/** Shows a problem and all of its errors; hides the section without one. */
export function showProblem(error) {
  byId("problem").hidden = error === undefined;
  if (error === undefined) return;
  const { title, detail, code, errors = [] } = error.problem ?? { title: "The page failed", detail: String(error) };
  byId("problemDetail").textContent = detail;
  byId("problemTitle").textContent = [title, code].filter((part) => part !== undefined).join(" · ");
  // A single error has the same text as the detail.
  const isRepeated = errors.length === 1 && errors[0].detail === detail;
  byId("problemErrors").replaceChildren(...(isRepeated ? [] : errors.map(errorItem)));
}

function errorItem({ code, detail }) {
  const item = document.createElement("li");
  const name = document.createElement("code");
  name.textContent = code;
  item.append(detail, " ", name);
  return item;
}
