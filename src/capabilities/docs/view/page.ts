import { mapInTurns } from "../../../ground/http/yieldToEventLoop.js";
import { type Content, type Html, html } from "../html/html.js";
import { renderMarkdown } from "../html/markdown.js";
import type { Book, PageName } from "../reading/pages.js";
import { enteredSchemes, signingSchemes } from "../reading/schemes.js";
import { linksFrom, schemaAnchor, tagAnchor } from "./links.js";
import { operationSection, webhookSection } from "./operation.js";
import { contents, introduction, navigation } from "./overview.js";
import { queryLanguage } from "./queries.js";
import { schemaSection } from "./schemaTree.js";
import type { View } from "./view.js";

/** A file that a page loads, with the sum that the browser compares it with. */
export interface PageAsset {
  /** Below `assets/`. */
  readonly path: string;
  readonly integrity: string;
}

/** What pages need beside the document. */
export interface PageOptions {
  /** Of the first page, such as `/docs`. */
  readonly path: string;
  /** Of the OpenAPI document; `false` if it is not served. */
  readonly documentPath: string | false;
  readonly tryIt: boolean;
  readonly style: PageAsset;
  readonly script: PageAsset;
}

/** A page of a document as HTML. It loads one style sheet and one script, and is complete without them. Its sections are made in turns of the event loop. */
export async function renderPage(book: Book, page: PageName, options: PageOptions): Promise<string> {
  const links = linksFrom(book, options.path, page);
  const view: View = { book, links };
  const tag = page.startsWith("tags/") ? page.slice("tags/".length) : undefined;
  const { title = "" } = book.spec.info;
  const signing = signingSchemes(book.spec).map((scheme) => scheme.title);
  const isFirst = page === "";
  const heading = isFirst ? title : `${tag ?? "Reference"} · ${title}`;
  const main = isFirst
    ? await firstPage(view, options)
    : tag === undefined
      ? html`<h1>Reference</h1>${await reference(view, "reference")}`
      : await tagPage(view, tag);
  return html`<!doctype html>
<html lang="en" data-root="${links.root}"${options.tryIt && html` data-try`}>
<head>
<meta charset="utf-8">
<title>${heading}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${links.asset(options.style.path)}" integrity="${options.style.integrity}">
<script src="${links.asset(options.script.path)}" integrity="${options.script.integrity}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header><p class="title"><a href="${links.page("")}">${title}</a></p><div class="tools" data-schemes="${JSON.stringify(enteredSchemes(book.spec))}"${signing.length > 0 && html` data-signing="${signing.join(" and ")}"`}></div></header>
<div class="columns">
<nav aria-label="Operations"><div class="filter" data-filter></div>
${navigation(view, tag, !(isFirst && book.isSplit))}</nav>
<main id="main" tabindex="-1">
${main}</main>
</div>
</body>
</html>
`.text;
}

async function firstPage(view: View, { documentPath }: PageOptions): Promise<Html> {
  const { book, links } = view;
  const intro = introduction(view, documentPath === false ? undefined : `${links.root}${documentPath.slice(1)}`);
  if (book.isSplit) return html`${intro}${await contents(view)}`;
  return html`${intro}${await mapInTurns(book.tags, ({ name }) => tagSection(view, name))}${await reference(view, "")}`;
}

async function tagPage(view: View, name: string): Promise<Html> {
  return html`<h1>${name}</h1>
${await operationsOf(view, name)}${await schemasOn(view, `tags/${name}`)}`;
}

async function tagSection(view: View, name: string): Promise<Html> {
  return html`<section id="${tagAnchor(name)}"><h2>${name}</h2>${await operationsOf(view, name)}</section>`;
}

async function operationsOf(view: View, name: string): Promise<Content> {
  const tag = view.book.tags.find((each) => each.name === name);
  const heading = view.book.isSplit && html`<h2>Operations</h2>`;
  return [
    tag?.description !== undefined && renderMarkdown(tag.description),
    heading,
    await mapInTurns(tag?.operations ?? [], (operation) => operationSection(view, operation)),
  ];
}

/** What stands once for all groups: queries, webhooks, and schemas that several use. */
async function reference(view: View, page: PageName): Promise<Content> {
  const { webhooks } = view.book;
  return [
    queryLanguage(view),
    webhooks.length > 0 &&
      html`<section id="page:webhooks"><h2>Webhooks</h2><p>Requests that the service sends to the addresses that were registered.</p>
${await mapInTurns(webhooks, (webhook) => webhookSection(view, webhook))}</section>`,
    await schemasOn(view, page),
  ];
}

async function schemasOn(view: View, page: PageName): Promise<Content> {
  const names = [...view.book.pageOfSchema].filter(([, at]) => at === page).map(([name]) => name);
  return (
    names.length > 0 &&
    html`<section id="page:schemas"><h2>Schemas</h2>${await mapInTurns(names, (name) => schemaSection(view, name, schemaAnchor(name)))}</section>`
  );
}
