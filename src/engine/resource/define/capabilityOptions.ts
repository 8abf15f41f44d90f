import type { z } from "zod";
import type { ResourceOptions } from "../options.js";
import type { ResourceField } from "../resource.js";

/** What is only said for a capability; `false` needs none. */
export function capabilityOptionsOf(
  { batch, cache, events, import: imported, live, accepts, actions, hooks, versions, table }: ResourceOptions<z.ZodObject>,
  fields: ReadonlyMap<string, ResourceField>,
): ReadonlyMap<string, string> {
  const lines = new Map([...fields.values()].flatMap(({ scalar }) => (scalar?.link ? [scalar.link.needs] : [])));
  if (accepts?.some((format) => format !== "json")) lines.set("accepts", `formats() of "restwright/formats"`);
  const ofActions = `actions() of "restwright/actions"`;
  if (actions) lines.set("actions", ofActions);
  if (table?.softDelete?.restore) lines.set("softDelete.restore", ofActions);
  if (batch) lines.set("batch", `batch() of "restwright/batch"`);
  if (cache) lines.set("cache", `cache() of "restwright/cache"`);
  if (live) lines.set("live", `live() of "restwright/live"`);
  if (imported) lines.set("import", `transfer() of "restwright/transfer"`);
  if (Object.keys(events ?? {}).length > 0)
    lines.set("events", `webhooks({ transport }) of "restwright/webhooks" or subscribers() of "restwright/subscribers"`);
  if (hooks) lines.set("hooks", `hooks() of "restwright/hooks"`);
  if (versions) lines.set("versions", `versions({ vendor, … }) of "restwright/versions"`);
  return lines;
}
