import type { z } from "zod";
import type { Filter } from "../../ground/storage/filter.js";

/** Members of a row, as JSON values. */
export type Members = Readonly<Record<string, unknown>>;

/** How a version of the API differs from its neighbour that is nearer to the schema: some fields are replaced by other members. `change` of `restwright/versions` makes it. */
export interface VersionChange {
  /** Fields of the neighbour that this version does not have. */
  readonly replaces: readonly string[];
  /** The members that this version has in their place. */
  readonly members: z.ZodObject;
  /** The members, from the replaced fields of a row. Must not throw. */
  read(fields: Members): Members;
  /**
   * The replaced fields, from the members that a client sent. A field that it leaves out keeps its value.
   *
   * @param before the replaced fields of the row that is changed; `undefined` for a new row
   */
  write(members: Members, before: Members | undefined): Members;
  /** The field that has the same values as a member, for filters, sorting and `q`. */
  readonly same?: Readonly<Record<string, string>> | undefined;
  /** Filters on the replaced fields that mean "the member has this value", by paths such as `name.givenName`. */
  readonly equals?: Readonly<Record<string, (value: string) => Filter>> | undefined;
}
