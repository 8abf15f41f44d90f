import type { Id } from "../../../../../src/ground/storage/values/scalar.js";
import { Gathering } from "../../engine/gathering.js";
import type { Session } from "../../engine/session.js";
import type { OwnTable } from "../../schema/table.js";
import { drawNumbers } from "../numbering.js";

/** The most numbers of one statement. */
const maxDrawn = 64;

/** A caller that waits for a number. */
interface Ask {
  readonly answer: (id: Id) => void;
  readonly refuse: (error: unknown) => void;
}

/** Takes numbers of the sequence of a table. A number that is not used is a gap, as after a transaction that rolls back. */
export class GatheredDraws {
  #gathering: Gathering<Ask> | undefined;

  draw(session: Session, table: OwnTable): Promise<Id> {
    this.#gathering ??= new Gathering({
      take: (waiting) => ({ taken: waiting.slice(0, maxDrawn), left: waiting.slice(maxDrawn) }),
      send: (asks) => send(session, table, asks),
      end: () => {},
    });
    const gathering = this.#gathering;
    if (gathering.isIdle) return gathering.alone(async () => (await drawNumbers(session, table, 1))[0] as Id);
    return new Promise((answer, refuse) => gathering.join({ answer, refuse }));
  }
}

async function send(session: Session, table: OwnTable, asks: readonly Ask[]): Promise<void> {
  try {
    const ids = await drawNumbers(session, table, asks.length);
    for (const [index, { answer }] of asks.entries()) answer(ids[index] as Id);
  } catch (error) {
    for (const { refuse } of asks) refuse(error);
  }
}
