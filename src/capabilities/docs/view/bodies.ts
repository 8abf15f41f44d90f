import type { JsonSchema } from "../../../engine/operation/description.js";
import { type SampleUse, sampleOf } from "../../../engine/operation/sample.js";
import { type Content, type Html, html } from "../html/html.js";
import { renderMarkdown } from "../html/markdown.js";
import { resolvePart, resolverOf, type SpecBody, type SpecMedia } from "../reading/spec.js";
import { schemaTree } from "./schemaTree.js";
import { typeLabel } from "./typeLabel.js";
import type { View } from "./view.js";

/** Forms of a body that have the same schema. */
interface Group {
  readonly types: readonly string[];
  readonly media: SpecMedia;
}

/** The body of a request, with its members. */
export function requestBody(view: View, { description, required = false, content = {} }: SpecBody): Html {
  return html`<h4>Body${required && html` <span class="mark required">required</span>`}</h4>
${description !== undefined && renderMarkdown(description)}${groupsOf(content).map(({ types, media }) => {
  const sample = exampleOf(view, types[0] ?? "", media, "request");
  return html`<div class="body"><p>${mediaTypes(types)} <span class="type">${labelOf(view, media)}</span></p>
${schemaTree(view, media.schema)}${sample !== undefined && html`<details><summary>Example</summary><pre data-example="${types[0]}"><code>${sample}</code></pre></details>`}</div>
`;
})}`;
}

/** The bodies of an answer: their schemas are shown in their own places. */
export function answerBodies(view: View, content: Readonly<Record<string, SpecMedia>>): Content {
  return groupsOf(content).map(({ types, media }) => {
    const sample = exampleOf(view, types[0] ?? "", media, "answer");
    return html`<div class="body"><p>${mediaTypes(types)} <span class="type">${labelOf(view, media)}</span></p>
${sample !== undefined && html`<details><summary>Example</summary><pre><code>${sample}</code></pre></details>`}</div>
`;
  });
}

function mediaTypes(types: readonly string[]): Content {
  return types.map((type, index) => [index > 0 && ", ", html`<code>${type}</code>`]);
}

/** Streams say what each of their items is. */
function labelOf(view: View, { schema, itemSchema, "x-restwright-item": item }: SpecMedia): Content {
  const each = itemSchema ?? (item === undefined ? undefined : { $ref: item });
  if (each !== undefined) return html`each item ${typeLabel(view, each)}`;
  return schema === undefined ? "bytes" : typeLabel(view, schema);
}

function groupsOf(content: Readonly<Record<string, SpecMedia>>): readonly Group[] {
  const groups = new Map<string, { types: string[]; media: SpecMedia }>();
  for (const [type, media] of Object.entries(content)) {
    const key = JSON.stringify(media);
    const group = groups.get(key) ?? { types: [], media };
    group.types.push(type);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** An example of a body of JSON: that of the document, or one made of its schema. */
export function exampleOf({ book: { spec } }: View, type: string, { schema, example, examples = {} }: SpecMedia, use: SampleUse): string | undefined {
  if (!/[/+]json(?:;|$)/.test(type)) return undefined;
  const [named] = Object.values(examples);
  const value = example ?? resolvePart(spec, named)?.value ?? madeOf(schema);
  return value === undefined ? undefined : JSON.stringify(value, undefined, 2);

  function madeOf(known: JsonSchema | undefined): unknown {
    return known === undefined ? undefined : sampleOf(resolverOf(spec), known, use);
  }
}
