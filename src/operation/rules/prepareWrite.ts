import type { CollectionModel } from "../../storage/model.js";
import type { Context } from "../context.js";

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
  if (scopes === undefined) return undefined;
  return prepare();

  async function prepare(): Promise<void> {
    await scopes?.ask(name, "read", "before");
    for (const kind of kinds) {
      if (kind !== "create") await scopes?.ask(name, kind, "before");
      if (kind !== "remove") await scopes?.ask(name, kind, "after");
      if (kind !== "remove") await scopes?.askStamps(name, kind);
    }
    if (kinds.every((kind) => kind === "remove")) return;
    const { heldBy, unenforced } = environment.references;
    for (const { target } of [...(heldBy.get(name) ?? []), ...(unenforced.get(name) ?? [])]) await scopes?.ask(target.name, "read", "before");
  }
}
