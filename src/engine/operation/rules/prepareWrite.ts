import type { CollectionModel } from "../../../ground/storage/model.js";
import type { Context } from "../context.js";
import type { References } from "../references/references.js";
import type { Scopes } from "./scopes.js";

/** A kind of write. An upsert is prepared as create and as update. */
export type WriteKind = "create" | "update" | "remove";

/**
 * Asks all rules that writes of a collection need, so that none is asked within a transaction. `writableRows` refuses writes that were not prepared.
 *
 * @throws {ConfigurationError} for an unusable answer; what the developer's rules throw
 */
export function prepareWrite(
  { environment, scopes }: Pick<Context, "environment" | "scopes">,
  { name }: Pick<CollectionModel, "name">,
  ...kinds: readonly WriteKind[]
): Promise<void> | undefined {
  return scopes && askAll(scopes, name, kinds, environment.references);
}

async function askAll(scopes: Scopes, name: string, kinds: readonly WriteKind[], { heldBy, unenforced }: References): Promise<void> {
  await scopes.ask(name, "read", "before");
  for (const kind of kinds) {
    if (kind !== "create") await scopes.ask(name, kind, "before");
    if (kind === "remove") continue;
    await scopes.ask(name, kind, "after");
    await scopes.askStamps(name, kind);
  }
  if (kinds.every((kind) => kind === "remove")) return;
  for (const { target } of [...(heldBy.get(name) ?? []), ...(unenforced.get(name) ?? [])]) await scopes.ask(target.name, "read", "before");
}
