import type { Collection } from "../../../../../src/ground/storage/collection.js";
import type { Filter } from "../../../../../src/ground/storage/filter.js";
import type { CollectionModel } from "../../../../../src/ground/storage/model.js";
import type { Storage, TransactionOptions } from "../../../../../src/ground/storage/storage.js";

/**
 * A storage whose collections are tables of a developer: each model that is migrated gets a table, and is mapped to it.
 *
 * @param base the storage that maps the tables
 * @param create creates the table, or the columns that it lacks
 */
export function overTables<Table extends { readonly model: CollectionModel }>(
  base: Storage,
  tableFor: (model: CollectionModel) => Table,
  create: (table: Table, storage: Storage) => Promise<void>,
): Storage {
  const tables = new Map<CollectionModel, Table>();
  const tableOf = (model: CollectionModel): Table => {
    const table = tables.get(model) ?? tableFor(model);
    tables.set(model, table);
    return table;
  };
  const over = (storage: Storage): Storage =>
    Object.create(storage, {
      collection: { value: (model: CollectionModel) => mappedRows(storage.collection(tableOf(model).model), (other) => tableOf(other).model) },
      transaction: {
        value:
          storage.transaction &&
          ((run: (tx: Storage) => unknown, options?: TransactionOptions) => storage.transaction?.(async (tx) => run(over(tx)), options)),
      },
      // Changes are kept of tables that the library migrates.
      changes: { value: undefined },
      migrate: {
        value: async (models: readonly CollectionModel[]) => {
          for (const model of models) await create(tableOf(model), storage);
          await storage.migrate?.(models.map((model) => tableOf(model).model));
        },
      },
    } satisfies Partial<Record<keyof Storage, { readonly value: unknown }>>);
  return over(base);
}

type Mapped = (model: CollectionModel) => CollectionModel;

/** The rows, with the models of related filters mapped as well. */
function mappedRows(rows: Collection, mapped: Mapped): Collection {
  return new Proxy(rows, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: readonly unknown[]) =>
        member.apply(
          target,
          args.map((arg) => mappedArgument(arg, mapped)),
        );
    },
  });
}

/** An argument is a filter, or has one as its member. */
function mappedArgument(argument: unknown, mapped: Mapped): unknown {
  if (typeof argument !== "object" || argument === null || Array.isArray(argument)) return argument;
  if ("op" in argument) return mappedFilter(argument as Filter, mapped);
  if (!("filter" in argument) || argument.filter === undefined) return argument;
  return { ...argument, filter: mappedFilter(argument.filter as Filter, mapped) };
}

function mappedFilter(filter: Filter, mapped: Mapped): Filter {
  switch (filter.op) {
    case "and":
    case "or":
      return { ...filter, args: filter.args.map((arg) => mappedFilter(arg, mapped)) };
    case "not":
      return { ...filter, arg: mappedFilter(filter.arg, mapped) };
    case "related":
      return { ...filter, collection: mapped(filter.collection), filter: mappedFilter(filter.filter, mapped) };
    default:
      return filter;
  }
}
