import type { z } from "zod";
import type { Row } from "../../../ground/storage/collection.js";
import type { QueryTableOptions } from "../../../language/query/table.js";
import type { Generator } from "../generators.js";
import type { ResourceOptions } from "../options.js";
import type { Relation } from "../relations/relation.js";
import type { ResourceField } from "../resource.js";

/** The options with plain names: TypeScript has checked them at compile time, `checkNames` checks them for everyone. */
export interface Settings {
  /** Empty if rows have no id. */
  readonly id: readonly string[];
  readonly generated: Readonly<Record<string, Generator>>;
  readonly unique: readonly { readonly fields: readonly string[]; readonly index?: string | undefined }[];
  readonly compact: readonly string[] | undefined;
  readonly heavy: readonly string[];
  readonly access: Readonly<Record<string, ResourceField["access"]>>;
  readonly readOnly: readonly string[];
  readonly stamped: readonly string[];
  readonly relations: Readonly<Record<string, Relation>>;
  readonly filter: QueryTableOptions["filter"];
  readonly sort: readonly string[] | undefined;
  readonly ranges: QueryTableOptions["ranges"];
  readonly search: readonly string[];
  readonly param: Readonly<Record<string, string>>;
  readonly index: true | readonly (readonly string[])[];
  readonly table: ResourceOptions<z.ZodObject>["table"];
  readonly renamedFrom: Readonly<Record<string, string>>;
  readonly backfill: Readonly<Record<string, (row: Row) => unknown>>;
  readonly versions: ResourceOptions<z.ZodObject>["versions"];
}

/** @internal */
export function plainSettings<S extends z.ZodObject>(options: ResourceOptions<S>): Settings {
  const list = (value: string | readonly string[]): readonly string[] => [value].flat();
  return {
    id: options.id === false ? [] : list((options.id ?? "id") as string | readonly string[]),
    generated: (options.generated ?? {}) as Settings["generated"],
    unique: (options.unique ?? []).map((key) => (typeof key === "object" && "fields" in key ? key : { fields: list(key) })),
    compact: options.compact,
    heavy: options.heavy ?? [],
    access: options.access ?? {},
    readOnly: options.readOnly ?? [],
    stamped: Object.keys(options.stamp ?? {}),
    relations: options.relations ?? {},
    filter: options.filter as Settings["filter"],
    sort: options.sort,
    ranges: options.ranges as Settings["ranges"],
    search: options.search ?? [],
    param: (options.param ?? {}) as Settings["param"],
    table: options.table,
    renamedFrom: (options.renamedFrom ?? {}) as Settings["renamedFrom"],
    backfill: (options.backfill ?? {}) as Settings["backfill"],
    versions: options.versions,
    index: options.index === true ? true : (options.index ?? []).map(list),
  };
}
