import { type Content, type Html, html } from "../html/html.js";
import { renderMarkdown } from "../html/markdown.js";
import type { SpecParameter } from "../reading/spec.js";
import { resolveSchema } from "../reading/spec.js";
import { details } from "./schemaTree.js";
import { typeLabel } from "./typeLabel.js";
import type { View } from "./view.js";

const places = [
  ["path", "Path"],
  ["query", "Query"],
  ["header", "Headers"],
  ["cookie", "Cookies"],
] as const;

/** The parameters of an operation, in a table for each place. */
export function parameterTables(view: View, parameters: readonly SpecParameter[]): Content {
  return places.map(([place, title]) => {
    const own = parameters.filter((parameter) => parameter.in === place);
    return own.length > 0 && table(view, title, own);
  });
}

function table(view: View, title: string, parameters: readonly SpecParameter[]): Html {
  return html`<table class="parameters"><caption>${title}</caption><thead><tr><th scope="col">Name</th><th scope="col">Meaning</th></tr></thead><tbody>
${parameters.map((parameter) => row(view, parameter))}</tbody></table>
`;
}

/** The script reads what it needs to try the operation from the attributes. */
function row(view: View, { name, in: place, description, required = false, deprecated = false, style, schema, example }: SpecParameter): Html {
  const { description: _, ...own } = resolveSchema(view.book.spec, schema);
  return html`<tr data-name="${name}" data-in="${place}"${required && html` data-required`}><th scope="row"><code class="name">${name}</code>
<span class="type">${style === "deepObject" ? filterLabel(view, schema) : typeLabel(view, schema)}</span>${required && html` <span class="mark required">required</span>`}${deprecated && html` <span class="mark">deprecated</span>`}</th>
<td>${description !== undefined && renderMarkdown(description)}${style === "deepObject" ? operatorsOf(own) : details(own)}${example !== undefined && html`<p class="facts">for example <code>${JSON.stringify(example)}</code></p>`}</td></tr>
`;
}

/** A filter takes a value, or operators in brackets. */
function filterLabel(view: View, schema: SpecParameter["schema"]): Content {
  const [value] = (resolveSchema(view.book.spec, schema)["anyOf"] ?? []) as readonly NonNullable<SpecParameter["schema"]>[];
  return value === undefined ? typeLabel(view, schema) : typeLabel(view, value);
}

function operatorsOf(schema: NonNullable<SpecParameter["schema"]>): Content {
  const choices = (schema["anyOf"] ?? []) as readonly NonNullable<SpecParameter["schema"]>[];
  const names = choices.flatMap(({ properties }) => Object.keys((properties ?? {}) as object));
  const values = choices.find(({ enum: all }) => Array.isArray(all));
  return [
    names.length > 0 && html`<p class="facts">${names.map((name, index) => [index > 0 && " ", html`<code>[${name}]</code>`])}</p>`,
    values !== undefined && details(values),
  ];
}
