import type { Context } from "../../engine/operation/context.js";
import type { CompiledAction } from "./action.js";

/**
 * Asks all rules that an action on a row needs, so that none is asked within its transaction.
 *
 * @throws {ConfigurationError} for an unusable answer; what the developer's rules throw
 */
export async function askActionRules(
  { scopes, environment }: Pick<Context, "scopes" | "environment">,
  { on, method, name, resource }: CompiledAction,
): Promise<void> {
  if (scopes === undefined || on === "collection") return;
  const collection = resource.name;
  await scopes.ask(collection, "read", "before");
  await scopes.ask(collection, name, "before");
  if (method === "GET") return;
  await scopes.ask(collection, name, "after");
  await scopes.askStamps(collection, "update");
  const { heldBy, unenforced } = environment.references;
  for (const { target } of [...(heldBy.get(collection) ?? []), ...(unenforced.get(collection) ?? [])])
    await scopes.ask(target.name, "read", "before");
}
