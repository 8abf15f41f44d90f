import { mapInTurns } from "../../../ground/http/yieldToEventLoop.js";
import { type Content, type Html, html } from "../html/html.js";
import { renderMarkdown } from "../html/markdown.js";
import { formShapes } from "../reading/formFields.js";
import type { ShownOperation } from "../reading/operations.js";
import { signedOnly } from "../reading/schemes.js";
import { answers } from "./answers.js";
import { requestBody } from "./bodies.js";
import { webhookAnchor } from "./links.js";
import { parameterTables } from "./parameters.js";
import { snippets } from "./snippets.js";
import type { View } from "./view.js";

/** An operation with all that it takes and answers. The script reads what it needs to try it from the attributes. */
export async function operationSection(view: View, operation: ShownOperation): Promise<Html> {
  const { id, method, path, summary, description, isDeprecated, parameters, body } = operation;
  const { spec } = view.book;
  const forms = formShapes(spec, body?.content ?? {});
  const signed = signedOnly(spec, operation).map((scheme) => scheme.title);
  // Each may be large, so that others have their turn between them.
  const parts = [
    () => snippets(view, operation),
    () => parameterTables(view, parameters),
    () => body !== undefined && requestBody(view, body),
    () => answers(view, operation.answers),
  ];
  return html`<section class="operation" id="${id}" data-method="${method}" data-path="${path}" data-types="${Object.keys(body?.content ?? {}).join(" ")}"${forms.length > 0 && html` data-forms="${JSON.stringify(forms)}"`}${signed.length > 0 && html` data-signed="${signed.join(" or ")}"`}><h3>${summary} <a class="anchor" href="#${encodeURIComponent(id)}" aria-label="Link to ${summary}">#</a></h3>
<p class="address">${methodBadge(method)} <code>${pathWithBreaks(path)}</code>${isDeprecated && html` <span class="mark">deprecated</span>`}</p>
${description !== undefined && html`<div class="text">${renderMarkdown(description)}</div>`}<p class="facts"><code>${id}</code> · ${securityText(operation)}</p>
${await mapInTurns<() => Content, Content>(parts, (make) => make())}</section>
`;
}

/** A webhook: what is sent, and what the receiver answers. */
export function webhookSection(view: View, { id, path, summary, description, parameters, body, answers: all }: ShownOperation): Html {
  const anchor = webhookAnchor(path);
  return html`<section class="operation" id="${anchor}" aria-label="${id}"><h3>${path} <a class="anchor" href="#${encodeURIComponent(anchor)}" aria-label="Link to ${path}">#</a></h3>
<p>${summary}</p>${description !== undefined && renderMarkdown(description)}${parameterTables(view, parameters)}${body !== undefined && requestBody(view, body)}${answers(view, all)}</section>
`;
}

/** The method in its colour. */
export function methodBadge(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`;
}

/** A path that may be broken before its slashes. */
export function pathWithBreaks(path: string): Content {
  return path.split(/(?=\/)/).map((segment) => [html`<wbr>`, segment]);
}

function securityText({ security = [] }: ShownOperation): string {
  const names = security.map((alternative) => Object.keys(alternative).join(" and "));
  if (names.length === 0) return "needs no credentials";
  const known = names.filter((name) => name !== "");
  return `credentials: ${known.join(", ")}${known.length < names.length ? ", or none" : ""}`;
}
