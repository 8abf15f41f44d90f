import type { z } from "zod";
import { isPlainObject } from "../../../ground/http/isObject.js";
import { ConfigurationError } from "../../../ground/problem/index.js";
import type { TableOptions } from "../../../ground/storage/tableOptions.js";
import type { ActionMap } from "../actions.js";
import type { EventMap, FieldName, OperationName, ResourceOptions, UniqueKey } from "../options.js";
import type { RelationsOf } from "../relations/relation.js";
import type { Resource } from "../resource.js";
import type { AccessNames, ExtendedTypes, IdOption, ReadRules, ResourceTypes } from "../resourceTypes.js";
import { compileResource } from "./define.js";

/** What {@link extend} adds to a collection or replaces: every option but the schema. */
export type ResourceRules<Options extends { readonly table?: unknown }, Raised extends string = string> = Omit<Options, "schema" | "table"> & {
  /** Members of the option `table` that are added to those of the collection, or replace them. */
  readonly table?: Partial<TableOptions<Raised>> | undefined;
};

/**
 * Adds options to a collection, or replaces them: rules may stand apart from a definition that was generated, as by `npx restwright introspect`. Hooks, scopes and actions may
 * name other collections here, also those whose rules name this one: within `defineResource` the compiler would have to know each of the two before the other.
 *
 * An option replaces that of the collection. Only those of `table` are merged, with the members of its `columns`, `constraints` and `raised`. An option that is `undefined`
 * changes nothing.
 *
 * @returns a collection of the same name, in place of the given one
 * @throws {ConfigurationError} for a schema, and for what `defineResource` refuses
 * @example
 * const orders = extend(ordersBase, { hooks: { afterWrite: ({ row, tx }) => tx.of(stockBase).update(row.sku, { left: 0 }) } });
 */
export function extend<
  Name extends string,
  S extends z.ZodObject,
  T extends ResourceTypes,
  const Id extends IdOption<FieldName<S>> = Extract<T["key"], IdOption<FieldName<S>>>,
  const Generated extends FieldName<S> = Extract<T["generated"], FieldName<S>>,
  const ReadOnly extends FieldName<S> = Extract<T["readOnly"], FieldName<S>>,
  const Stamped extends FieldName<S> = Extract<T["stamped"], FieldName<S>>,
  const Heavy extends FieldName<S> = Extract<T["heavy"], FieldName<S>>,
  const Compact extends FieldName<S> = Exclude<Extract<T["compact"], FieldName<S>>, Heavy>,
  const Access extends AccessNames<FieldName<S>> = ReadRules<FieldName<S>>,
  const Filterable extends FieldName<S> = Extract<T["filterable"], FieldName<S>>,
  const Sortable extends FieldName<S> = Extract<T["sortable"], FieldName<S>>,
  const Relations extends RelationsOf<S> = never,
  const Operations extends OperationName = T["operations"],
  const Unique extends UniqueKey<FieldName<S>> = never,
  Events extends EventMap = never,
  Actions extends ActionMap = never,
  Raised extends string = never,
  Scoped extends string = never,
  Changed extends string = never,
>(
  resource: Resource<Name, S, T>,
  rules: ResourceRules<
    ResourceOptions<
      S,
      Id,
      Generated,
      ReadOnly,
      Stamped,
      Heavy,
      Compact,
      Access,
      Filterable,
      Sortable,
      Relations,
      Operations,
      Unique,
      Events,
      Actions,
      Raised,
      Scoped,
      Changed
    >,
    Raised
  >,
): Resource<
  Name,
  S,
  // The type that a caller expects says nothing of options that are not given.
  ExtendedTypes<
    T,
    NoInfer<Id>,
    NoInfer<Generated>,
    NoInfer<ReadOnly>,
    NoInfer<Stamped>,
    NoInfer<Heavy>,
    NoInfer<Compact>,
    NoInfer<Access>,
    NoInfer<Filterable>,
    NoInfer<Sortable>,
    NoInfer<Relations>,
    NoInfer<Operations>,
    NoInfer<Unique>,
    NoInfer<Events>,
    NoInfer<Actions>,
    NoInfer<Raised>
  >
> {
  const where = `extend("${resource.name}")`;
  if (!isPlainObject(rules)) throw new ConfigurationError(`${where}: the options must be an object.`);
  if (Object.hasOwn(rules, "schema")) throw new ConfigurationError(`${where} cannot change the schema; define the collection with it.`);
  const table = mergedTable(resource.options.table, rules.table);
  const options = { ...resource.options, ...given(rules), ...(table !== undefined && { table }) };
  // From here names of fields are plain text.
  return compileResource(resource.name, options as unknown as ResourceOptions<z.ZodObject>, where) as never;
}

/** The members that are not `undefined`: a rule that is missing by mistake must not remove one. */
function given<T extends object>(options: T): Partial<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function mergedTable(table: TableOptions | undefined, more: Partial<TableOptions> | undefined): Partial<TableOptions> | undefined {
  if (more === undefined) return table;
  const named = (["columns", "constraints", "raised"] as const).map((member) => [member, { ...table?.[member], ...more[member] }] as const);
  return { ...table, ...given(more), ...Object.fromEntries(named.filter(([, members]) => Object.keys(members).length > 0)) };
}
