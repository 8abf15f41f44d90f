import { mapInTurns } from "../../../ground/http/yieldToEventLoop.js";
import { type Content, type Html, html } from "../html/html.js";
import { linkTarget } from "../html/linkTarget.js";
import { renderMarkdown } from "../html/markdown.js";
import type { ShownOperation, ShownTag } from "../reading/operations.js";
import { pageOfTag } from "../reading/pages.js";
import type { SpecScheme } from "../reading/spec.js";
import { tagAnchor } from "./links.js";
import { methodBadge, pathWithBreaks } from "./operation.js";
import type { View } from "./view.js";

/** What the service is, and how to get in. */
export function introduction({ book: { spec } }: View, documentHref: string | undefined): Html {
  const { title = "", version = "", summary, description, contact, license, termsOfService } = spec.info;
  const facts: readonly Content[] = [
    `Version ${version}`,
    contact && html`Contact: ${outside(contact.url ?? (contact.email && `mailto:${contact.email}`), contact.name ?? contact.email ?? contact.url)}`,
    license && html`Licence: ${outside(license.url, license.name ?? license.url)}`,
    termsOfService && outside(termsOfService, "Terms of service"),
    documentHref && html`<a href="${documentHref}">OpenAPI document</a>`,
  ];
  return html`<h1>${title}</h1>
<p class="facts">${facts.filter(Boolean).map((fact, index) => [index > 0 && " · ", fact])}</p>
${summary !== undefined && html`<p>${summary}</p>`}${description !== undefined && html`<div class="text">${renderMarkdown(description)}</div>`}${servers(spec.servers ?? [])}${credentials(spec.components?.securitySchemes ?? {})}`;
}

function outside(target: string | undefined, text: string | undefined): Content {
  const allowed = target === undefined ? undefined : linkTarget(target);
  return allowed === undefined ? text : html`<a href="${allowed.href}" rel="noopener noreferrer">${text}</a>`;
}

function servers(all: readonly { readonly url: string; readonly description?: string }[]): Content {
  if (all.length === 0) return undefined;
  return html`<h2>Servers</h2><ul>${all.map(({ url, description = "" }) => html`<li><code>${url}</code> ${description}</li>`)}</ul>`;
}

function credentials(schemes: Readonly<Record<string, SpecScheme>>): Content {
  const all = Object.entries(schemes);
  if (all.length === 0) return undefined;
  return html`<section id="page:credentials"><h2>Credentials</h2><dl class="headers">${all.map(([name, scheme]) => html`<div><dt><code>${name}</code></dt><dd>${schemeText(scheme)}${scheme.description !== undefined && renderMarkdown(scheme.description)}</dd></div>`)}</dl></section>
`;
}

function schemeText({ type, scheme, in: place, name, bearerFormat, "x-amazon-apigateway-authtype": aws }: SpecScheme): Content {
  if (aws !== undefined) return html`A signature of the request (${aws}) in <code>${name}</code>`;
  if (type === "apiKey") return html`A key in the ${place} <code>${name}</code>`;
  if (type !== "http") return type;
  const what =
    { basic: "A name and a password", digest: "A name and a password", bearer: bearerFormat === undefined ? "A token" : `A ${bearerFormat} token` }[
      scheme ?? ""
    ] ?? "Credentials";
  return html`${what}: <code>Authorization: ${capitalised(scheme ?? "")} …</code>`;
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The operations of each group in one line each. */
export async function contents(view: View): Promise<Content> {
  return mapInTurns(view.book.tags, (tag) => {
    const anchor = tagAnchor(tag.name);
    return html`<section class="group" id="${anchor}"><h2><a href="${view.links.page(pageOfTag(view.book, tag.name))}">${tag.name}</a></h2>
${tag.description !== undefined && renderMarkdown(tag.description)}<ul class="entries">${tag.operations.map(
      (
        operation,
      ) => html`<li class="entry"><a href="${view.links.operation(operation)}">${methodBadge(operation.method)} <code>${pathWithBreaks(operation.path)}</code> <span>${operation.summary}</span></a></li>
`,
    )}</ul></section>
`;
  });
}

/** The groups of a document for the side of a page. On the first page of many the operations are in the page itself. */
export function navigation(view: View, currentTag: string | undefined, withOperations: boolean): Html {
  const { book, links } = view;
  const more = book.isSplit ? "reference" : "";
  const rest: readonly (readonly [string, string])[] = [
    ...(Object.keys(book.spec.components?.["x-restwright-collections"] ?? {}).length > 0 ? [["page:queries", "Queries"] as const] : []),
    ...(book.webhooks.length > 0 ? [["page:webhooks", "Webhooks"] as const] : []),
    ...(book.pageOfSchema.size > 0 ? [["page:schemas", "Schemas"] as const] : []),
  ];
  return html`<ul class="pages"><li><a href="${links.page("")}">Overview</a></li>${rest.map(([anchor, text]) => html`<li><a href="${links.page(more, anchor)}">${text}</a></li>`)}</ul>
${book.tags.map((tag) => (withOperations ? group(view, tag, tag.name === currentTag || !book.isSplit) : html`<ul class="pages"><li>${tagLink(view, tag)}</li></ul>`))}`;
}

function tagLink({ book, links }: View, { name }: ShownTag): Html {
  return html`<a href="${book.isSplit ? links.page(pageOfTag(book, name)) : links.page("", tagAnchor(name))}">${name}</a>`;
}

function group(view: View, tag: ShownTag, isOpen: boolean): Html {
  return html`<details class="group"${isOpen && html` open`}><summary>${tag.name}</summary><ul>${tag.operations.map((operation) => entry(view, operation))}</ul></details>
`;
}

function entry({ links }: View, operation: ShownOperation): Html {
  return html`<li class="entry"><a href="${links.operation(operation)}">${methodBadge(operation.method)} ${operation.summary}<span class="path"> ${operation.path}</span></a></li>
`;
}
