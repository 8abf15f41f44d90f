import type { CollectionModel } from "./model.js";
import type { Path, Scalar } from "./values/scalar.js";

/**
 * The closed filter language of storage.
 *
 * `null` is the lowest value. `ne` and `not` include rows whose value is null or missing; `eq null` matches those rows; the ordering operators,
 * `like`, `in` without a null among its values, and `contains` never match them. An empty `and` is true, an empty `or` and an empty `in` are false.
 * Text compares by code point. With `as`, the ordering operators compare texts as decimals; equal decimals of a field are equal texts. `like` is passed as literal parts and wildcards; `fold` compares NFC-normalised, lower-cased text.
 * `has` is "present and not null". `contains` matches if an array of scalars contains the value. `search` matches the collection's searchable
 * fields, every white-space separated term in at least one of them, folded. `related` matches if the value is the id of a row of another collection that
 * matches a filter on that collection, as the call sees both; null and missing never match.
 */
export type Filter =
  | { readonly op: "and" | "or"; readonly args: readonly Filter[] }
  | { readonly op: "not"; readonly arg: Filter }
  | { readonly op: "eq" | "ne"; readonly path: Path; readonly value: Scalar }
  | { readonly op: "gt" | "gte" | "lt" | "lte"; readonly path: Path; readonly value: Scalar; readonly as?: "decimal" | undefined }
  | { readonly op: "in"; readonly path: Path; readonly values: readonly Scalar[] }
  | { readonly op: "like"; readonly path: Path; readonly parts: readonly LikePart[]; readonly fold?: boolean | undefined }
  | { readonly op: "has"; readonly path: Path }
  | { readonly op: "contains"; readonly path: Path; readonly value: Scalar }
  | { readonly op: "search"; readonly text: string }
  | RelatedFilter;

/** The rows whose foreign key is the id of a row that matches `filter`. A store that supports it lists `related` in `can.ops`; nothing can imitate it. */
export interface RelatedFilter {
  readonly op: "related";
  /** The foreign key: a top-level field. */
  readonly path: Path;
  readonly collection: CollectionModel;
  /** Whether the rows of `collection` belong to no tenant. Without it they are those of the tenant of the call. */
  readonly shared?: boolean | undefined;
  readonly filter: Filter;
}

/** Literal text, one arbitrary character, or any number of characters. */
export type LikePart = string | { readonly any: "one" | "many" };

export type FilterOp = Filter["op"];
