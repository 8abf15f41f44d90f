import { anonymous, defineResource, type ProblemItem, type Resource } from "restwright";
import { linkResources } from "../../src/engine/resource/relations/link.js";
import { resolveLimits } from "../../src/ground/limits/limits.js";
import { parseSelection } from "../../src/language/fields/parse.js";
import type { View } from "../../src/language/fields/view.js";
import { gateFor } from "../../src/language/schema/access.js";
import { memberSchema } from "./rows.js";

const resource: Resource = defineResource("members", { schema: memberSchema });
const linked = linkResources([resource]).get("members");
const gate = gateFor(anonymous);
const context = { kind: "compact", own: gate, related: gate, limits: resolveLimits() } as const;
const types = new Map<string, never>();

/** The view that a service takes for a list request: the text is parsed every time, the compiled choice comes out of the cache. */
export function listView(fields: string): View {
  if (linked === undefined) throw new Error("The resource was not linked.");
  const problems: ProblemItem[] = [];
  const selection = parseSelection({ fields: { text: fields, place: { parameter: "fields" } }, include: [], types }, linked, context, problems);
  if (problems.length > 0) throw new Error(`"${fields}" is refused: ${problems.map(({ detail }) => detail).join(" ")}`);
  return linked.views.chosen(selection, "compact", anonymous);
}
