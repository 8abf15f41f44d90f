import { type Content, type Html, html } from "../html/html.js";
import { renderMarkdown } from "../html/markdown.js";
import type { ShownOperation } from "../reading/operations.js";
import { resolvePart, type SpecMedia, type SpecResponse } from "../reading/spec.js";
import { answerBodies } from "./bodies.js";
import type { View } from "./view.js";

type Answer = ShownOperation["answers"][number];

/** The answers of an operation: successes with their bodies, then the codes of its problems. */
export function answers(view: View, all: readonly Answer[]): Content {
  const isProblem = ([, { content = {} }]: Answer) => Object.keys(content).some((type) => type.includes("problem+json"));
  const problems = all.filter(isProblem);
  return html`<h4>Answers</h4>
${all.filter((answer) => !isProblem(answer)).map((answer) => success(view, answer))}${problems.length > 0 && problemTable(view, problems)}`;
}

function success(view: View, [status, { description, headers = {}, content = {} }]: Answer): Html {
  const names = Object.keys(headers);
  return html`<div class="answer"><p class="status"><strong>${status}</strong></p>
<div>${description !== undefined && renderMarkdown(description)}${answerBodies(view, content)}${names.length > 0 && headerList(view, headers)}</div></div>
`;
}

function headerList({ book: { spec } }: View, headers: NonNullable<SpecResponse["headers"]>): Html {
  const rows = Object.entries(headers).map(([name, part]) => [name, resolvePart(spec, part)?.description ?? ""] as const);
  return html`<details><summary>Headers: ${rows.map(([name]) => name).join(", ")}</summary><dl class="headers">${rows.map(([name, text]) => html`<div><dt><code>${name}</code></dt><dd>${renderMarkdown(text)}</dd></div>`)}</dl></details>`;
}

/** Each code once a status, with what it means and the text of its example. */
function problemTable(view: View, problems: readonly Answer[]): Html {
  const rows = problems.flatMap(([status, response]) => codesOf(view, status, response)).sort((a, b) => (a.status < b.status ? -1 : 1));
  const count = new Set(rows.map(({ code }) => code)).size;
  return html`<details class="problems"><summary>${count} problem ${count === 1 ? "code" : "codes"}: ${[...new Set(rows.map(({ status }) => status))].join(", ")}</summary>
<table><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead><tbody>
${rows.map(
  ({ status, code, meaning }) => html`<tr><td>${status}</td><td><code>${code}</code></td><td>${meaning}</td></tr>
`,
)}</tbody></table></details>
`;
}

interface Code {
  readonly status: string;
  readonly code: string;
  readonly meaning: Content;
}

function codesOf(
  { book: { spec } }: View,
  status: string,
  { description = "", content = {}, "x-problem-codes": codes = [] }: SpecResponse,
): readonly Code[] {
  if (codes.length === 0) return [{ status, code: "any", meaning: renderMarkdown(description) }];
  const examples: NonNullable<SpecMedia["examples"]> = Object.assign({}, ...Object.values(content).map((media) => media.examples ?? {}));
  return codes.map((code) => {
    const { title, detail, status: own } = (resolvePart(spec, examples[code])?.value ?? {}) as Readonly<Record<string, unknown>>;
    const texts = [title, detail].filter((text): text is string => typeof text === "string");
    // A text that only says the other again is left out.
    const meaning = texts.filter(
      (text, index) => !texts.some((other, at) => at !== index && other !== text && other.startsWith(text.replace(/\.$/, ""))),
    );
    // A problem that any request may have has the status of its example.
    return {
      status: status === "default" ? String(own) : status,
      code,
      meaning: [...new Set(meaning.length > 0 ? meaning : [description])].join(" "),
    };
  });
}
