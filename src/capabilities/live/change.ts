/** A row in the form of an answer. */
export type ShownRow = Readonly<Record<string, unknown>>;

/** An id as answers show it; the parts of a composite one. */
export type ShownId = string | number | readonly (string | number)[];

/** A change of a row, as one reader sees it. */
export type LiveChange =
  | {
      /** `created`, or `changed`: also for a row that an update has brought into the filter or the scope. */
      readonly kind: "created" | "changed";
      readonly id: ShownId;
      readonly version: string;
      readonly row: ShownRow;
    }
  | { readonly kind: "removed"; readonly id: ShownId; readonly version: string }
  /** The row exists, and is not in the filter or the scope any more. */
  | { readonly kind: "left"; readonly id: ShownId };
