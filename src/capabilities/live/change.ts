/** A row in the form of an answer. */
export type ShownRow = Readonly<Record<string, unknown>>;

/** A change of a row, as one reader sees it. */
export type LiveChange =
  | {
      /** `created`, or `changed`: also for a row that an update has brought into the filter or the scope. */
      readonly kind: "created" | "changed";
      readonly id: string | number;
      readonly version: string;
      readonly row: ShownRow;
    }
  | { readonly kind: "removed"; readonly id: string | number; readonly version: string }
  /** The row exists, and is not in the filter or the scope any more. */
  | { readonly kind: "left"; readonly id: string | number };
