import { type Content, type Html, html } from "../html/html.js";
import type { SpecCollection } from "../reading/spec.js";
import type { View } from "./view.js";

const ways = [
  ["status=open", "equal to a value; several of them, separated by commas, mean any of them"],
  ["status!=open", "not equal, including rows without a value"],
  ["total[gte]=50&total[lt]=100", "an operator in brackets; different parameters are combined with AND"],
  ["address.city=Rome", "a member of an object"],
  ["tags[all]=a,b", "an array with all of the values"],
  ["note=*", "with any value at all; `has=note` is the same"],
  ["sort=-createdAt,id", "the order; `-` sorts descending"],
  ["page=2&perPage=50", "pages by number"],
  ["cursor=…", "the page after `meta.nextCursor` of the last one; rows that are added or removed meanwhile do not shift it"],
  ["count=exact", "counts all rows that match"],
  ["fields=id,name", "only these members of each row; `exclude` is the opposite"],
  ["include=customer", "rows that are related"],
  ["q=text", "a search in the members that are searchable"],
] as const;

const spellings = [
  ["equal", ["total=5", "total[eq]=5", "total__eq=5"]],
  ["not equal", ["total!=5", "total[ne]=5", "total__ne=5"]],
  ["other operators", ["total[gte]=5", "total__gte=5"]],
  ["members", ["address.city=Rome", "address[city]=Rome", "address_city=Rome"]],
  ["lists", ["tags=a,b", "tags=a&tags=b", "tags[]=a&tags[]=b", "tags[in]=a,b"]],
] as const;

/** The language of queries, once for all lists, and what each collection can be asked. */
export function queryLanguage({ book: { spec } }: View): Content {
  const collections = Object.entries(spec.components?.["x-restwright-collections"] ?? {});
  if (collections.length === 0) return undefined;
  return html`<section id="page:queries"><h2>Queries</h2>
<p>Lists are filtered, sorted and paged by parameters of the query. Unknown names and operators are refused with 400.</p>
<table><thead><tr><th scope="col">Query</th><th scope="col">Meaning</th></tr></thead><tbody>
${ways.map(
  ([query, meaning]) => html`<tr><td><code>${query}</code></td><td>${inCode(meaning)}</td></tr>
`,
)}</tbody></table>
<h3>Other spellings</h3><p>Those of one row mean the same.</p>
<table><thead><tr><th scope="col">Meaning</th><th scope="col">Spellings</th></tr></thead><tbody>
${spellings.map(
  ([meaning, all]) => html`<tr><td>${meaning}</td><td>${codeList(all)}</td></tr>
`,
)}</tbody></table>
${collections.map(([name, collection]) => collectionSection(name, collection))}</section>
`;
}

function collectionSection(name: string, { filter = {}, sort = [], search = [], perPage }: SpecCollection): Html {
  const paths = Object.entries(filter);
  return html`<h3 id="query:${name}">${name}</h3>
<details><summary>${paths.length} members to filter by</summary><table><thead><tr><th scope="col">Member</th><th scope="col">Operators</th></tr></thead><tbody>
${paths.map(
  ([
    path,
    { type = "", operators = [] },
  ]) => html`<tr><th scope="row"><code class="name">${path}</code> <span class="type">${type}</span></th><td>${codeList(operators)}</td></tr>
`,
)}</tbody></table></details>
<dl class="headers">${sort.length > 0 && html`<div><dt>Sorted by</dt><dd>${codeList(sort)}</dd></div>`}${search.length > 0 && html`<div><dt>Searched by <code>q</code></dt><dd>${codeList(search)}</dd></div>`}${perPage !== undefined && html`<div><dt>Rows a page</dt><dd>${perPage.default}, at most ${perPage.maximum}</dd></div>`}</dl>
`;
}

function codeList(values: readonly string[]): Content {
  return values.map((value, index) => [index > 0 && ", ", html`<code>${value}</code>`]);
}

function inCode(text: string): Content {
  return text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}
