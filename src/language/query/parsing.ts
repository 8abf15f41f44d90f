import type { Gate } from "../schema/access.js";
import type { Faults } from "./fault.js";
import type { QuerySettings } from "./settings.js";
import type { QueryTable } from "./table.js";

/** What the parts of a query are parsed against, and the faults so far. */
export interface Parsing {
  /** What queries of the collection may name. */
  readonly table: QueryTable;
  /** What the principal may do with each field. */
  readonly gate: Gate;
  readonly settings: QuerySettings;
  readonly faults: Faults;
}
