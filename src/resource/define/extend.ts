import type { z } from "zod";
import { callable, optionsCheck, strict } from "../../options/index.js";
import { ConfigurationError } from "../../problem/index.js";
import type { ActionBuilder, ActionMap } from "../actions.js";
import type { Hooks } from "../hooks.js";
import type { ResourceOptions } from "../options.js";
import type { Resource } from "../resource.js";
import type { ResourceTypes, WithActions } from "../resourceTypes.js";
import { capabilityOptionsOf } from "./capabilityOptions.js";
import { hooksSchema } from "./hooksSchema.js";

/** What {@link extend} adds to a collection. */
export interface ResourceRules<S extends z.ZodObject, T extends ResourceTypes, Actions extends ActionMap> {
  /** Rules that run within the transaction of each write. Needs `hooks()` of `restwright/hooks`. */
  readonly hooks?: Hooks<S, T["id"], T["generated"]> | undefined;
  /** Further operations on rows and on the collection. Needs `actions()` of `restwright/actions`. */
  readonly actions?: ((builder: ActionBuilder<S, T["id"]>) => Actions) | undefined;
}

const checkRules = /* @__PURE__ */ optionsCheck("extend", () =>
  strict<Pick<ResourceOptions<z.ZodObject>, "hooks" | "actions">>({ hooks: hooksSchema(), actions: callable() }),
);

/**
 * Adds hooks and actions to a collection. They may name other collections, also those whose rules name this one: within `defineResource` the compiler would have to know
 * each of the two before the other.
 *
 * @returns a collection of the same name, in place of the given one
 * @throws {ConfigurationError} for an option that the collection has already
 * @example
 * const orders = extend(ordersBase, { hooks: { afterWrite: ({ row, tx }) => tx.of(stockBase).update(row.sku, { left: 0 }) } });
 */
export function extend<
  Name extends string,
  S extends z.ZodObject,
  T extends ResourceTypes,
  Actions extends ActionMap = Readonly<Record<never, never>>,
>(resource: Resource<Name, S, T>, rules: ResourceRules<S, T, Actions>): Resource<Name, S, WithActions<T, Actions>> {
  checkRules(rules, `extend("${resource.name}")`);
  for (const option of ["hooks", "actions"] as const) {
    if (rules[option] !== undefined && resource.options[option] !== undefined) {
      throw new ConfigurationError(`${resource.name}: "${option}" is defined already; say it once, in defineResource or in extend.`);
    }
  }
  // From here names of fields are plain text.
  const options = { ...resource.options, ...rules } as unknown as ResourceOptions<z.ZodObject>;
  const extended: Resource = { ...resource, options, capabilityOptions: capabilityOptionsOf(options, resource.fields) };
  return extended as never;
}
