import type { JsonSchema } from "../../../engine/operation/description.js";
import { type Content, type Html, html } from "../html/html.js";
import { renderMarkdown } from "../html/markdown.js";
import { resolveSchema, schemaName } from "../reading/spec.js";
import { constraints, typeLabel } from "./typeLabel.js";
import type { View } from "./view.js";

const maxDepth = 6;

/**
 * A schema as a tree of its members. Schemas with names are links, but for the outermost.
 *
 * @returns nothing for a value without members or constraints
 */
export function schemaTree(view: View, schema: JsonSchema | undefined): Content {
  return treeOf(view, resolveSchema(view.book.spec, schema), 0);
}

function treeOf(view: View, schema: JsonSchema, depth: number): Content {
  if (depth > maxDepth) return undefined;
  const parts = (schema["allOf"] ?? []) as readonly JsonSchema[];
  const choices = ((schema["anyOf"] ?? schema["oneOf"] ?? []) as readonly JsonSchema[]).filter(({ type }) => type !== "null");
  return [
    parts.map((part) => namedOrTree(view, part, depth)),
    membersOf(view, schema, depth),
    itemsOf(view, schema, depth),
    choices.length === 1 && choices[0] ? namedOrTree(view, choices[0], depth) : choices.length > 1 && choiceList(view, choices, depth),
  ];
}

/** A part that has a name is shown in its own place. */
function namedOrTree(view: View, schema: JsonSchema, depth: number): Content {
  return schemaName(view.book.spec, schema) === undefined ? treeOf(view, schema, depth + 1) : undefined;
}

function membersOf(view: View, schema: JsonSchema, depth: number): Content {
  const properties = Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, JsonSchema>>);
  const required = new Set((schema["required"] ?? []) as readonly string[]);
  const further = schema["additionalProperties"];
  const rest = typeof further === "object" && further !== null ? [["any other name", further as JsonSchema] as const] : [];
  if (properties.length + rest.length === 0) return undefined;
  return html`<ul class="tree">
${[...properties, ...rest].map(([name, property]) => member(view, name, property, required.has(name), depth))}</ul>`;
}

function member(view: View, name: string, schema: JsonSchema, isRequired: boolean, depth: number): Html {
  const marks = [
    isRequired && "required",
    schema["readOnly"] === true && "read-only",
    schema["writeOnly"] === true && "write-only",
    schema["deprecated"] === true && "deprecated",
  ];
  return html`<li><code class="name">${name}</code> <span class="type">${typeLabel(view, schema)}</span>${marks.map((mark) => typeof mark === "string" && html` <span class="mark ${mark}">${mark}</span>`)}
${details(schema)}${namedOrTree(view, schema, depth)}</li>
`;
}

/** The description and the constraints of a value. */
export function details(schema: JsonSchema): Content {
  const title = schema["title"];
  const text = [title, schema["description"]].filter((part) => typeof part === "string").join(": ");
  // A choice of one type and null is as narrow as the type.
  const choices = [schema["anyOf"], schema["oneOf"]].flatMap((each) => (Array.isArray(each) ? (each as JsonSchema[]) : []));
  const inner = choices.filter(({ type }) => type !== "null");
  const facts = [...constraints(schema), ...(inner.length === 1 && inner[0] ? constraints(inner[0]) : [])];
  const items = schema["items"];
  const ofItems = typeof items === "object" && items !== null ? constraints(items as JsonSchema) : [];
  return [
    text !== "" && html`<div class="text">${renderMarkdown(text)}</div>`,
    facts.length > 0 && html`<p class="facts">${separated(facts)}</p>`,
    ofItems.length > 0 && html`<p class="facts">each ${separated(ofItems)}</p>`,
  ];
}

function separated(facts: readonly Content[]): Content {
  return facts.map((fact, index) => [index > 0 && "; ", fact]);
}

function itemsOf(view: View, schema: JsonSchema, depth: number): Content {
  const items = (schema["prefixItems"] ?? (schema["items"] === undefined ? [] : [schema["items"]])) as readonly JsonSchema[];
  return Array.isArray(items) && items.map((item) => namedOrTree(view, item, depth));
}

function choiceList(view: View, choices: readonly JsonSchema[], depth: number): Content {
  const trees = choices
    .map((choice) => ({ choice, tree: namedOrTree(view, choice, depth) }))
    .filter(({ choice, tree }) => tree !== undefined && choice["properties"] !== undefined);
  if (trees.length === 0) return undefined;
  return html`<ul class="choices">${trees.map(({ choice, tree }) => html`<li><span class="type">${typeLabel(view, choice)}</span> ${tree}</li>`)}</ul>`;
}

/** A schema with a name, in its own place. */
export function schemaSection(view: View, name: string, anchor: string): Html {
  const schema = view.book.spec.components?.schemas?.[name] ?? {};
  return html`<section class="schema" id="${anchor}"><h3>${name} <a class="anchor" href="#${encodeURIComponent(anchor)}" aria-label="Link to ${name}">#</a></h3>
<p class="type">${typeLabel(view, schema)}</p>
${details(schema)}${schemaTree(view, schema)}</section>
`;
}
