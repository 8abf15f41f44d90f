import { Connection, type Received } from "../tools/connection.js";
import { requestText } from "../tools/message.js";

/** One page of a walk. */
export interface Step {
  readonly target: string;
  readonly received: Received;
}

/**
 * Walks a list by its cursors: from the second page to the last one, then back to the first.
 *
 * @param target The list, without a place in it.
 * @throws {Error} where a page is refused
 */
export async function walkByCursor(port: number, target: string): Promise<Step[]> {
  const connection = await Connection.open(port);
  const read = async (at: string) => {
    const received = await connection.send(requestText("GET", at));
    if (received.status !== 200) throw new Error(`GET ${at} was answered with ${received.status}:\n${received.body}`);
    return received;
  };
  const steps: Step[] = [];
  try {
    const { nextCursor } = JSON.parse((await read(target)).body).meta;
    let links: Links = nextCursor === null ? {} : { next: `${target}&cursor=${nextCursor}` };
    for (const relation of ["next", "prev"] as const) {
      for (let at = links[relation]; at !== undefined; at = links[relation]) {
        const received = await read(at);
        links = JSON.parse(received.body).links;
        steps.push({ target: at, received });
      }
    }
  } finally {
    connection.close();
  }
  return steps;
}

interface Links {
  readonly next?: string;
  readonly prev?: string;
}
