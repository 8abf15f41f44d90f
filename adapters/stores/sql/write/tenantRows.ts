import type { Session } from "../engine/session.js";
import type { OwnTable } from "../schema/table.js";

/** The rows of one tenant in a table, as a session writes them. */
export interface TenantRows {
  readonly session: Session;
  readonly table: OwnTable;
  readonly tenant: string;
}
