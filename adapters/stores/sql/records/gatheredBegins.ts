import type { Begun } from "../../../../src/ground/storage/idempotency.js";
import type { SqlRow, SqlStatement } from "../engine/executor.js";
import type { Session } from "../engine/session.js";
import type { WriteGroup } from "../write/gathered/writeGroup.js";
import { type BeginWrite, beginOne, begun } from "./beginOne.js";
import { beginOperations } from "./idempotencyStatements.js";

/** Begins of operations that wait at the same time. Those whose keys are new or done are answered together. The others may have to wait for another transaction, and are sent alone. */
export class GatheredBegins implements WriteGroup<BeginWrite, Begun> {
  readonly session: Session;
  readonly title = "the records of idempotency keys";

  /** What a lost begin has done is undone by its caller, who knows its operation. */
  constructor(session: Session) {
    this.session = session;
  }

  alone(write: BeginWrite): Promise<Begun> {
    return beginOne(this.session, write);
  }

  statement(writes: readonly BeginWrite[]): SqlStatement {
    return beginOperations(this.session.dialect, writes);
  }

  nameOf({ id }: BeginWrite): string {
    return id;
  }

  nameIn(stored: SqlRow): string {
    return String(stored["id"]);
  }

  outcome(_write: BeginWrite, stored: SqlRow): Begun {
    return begun(stored);
  }
}
