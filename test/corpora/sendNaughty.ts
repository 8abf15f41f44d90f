import { integer, type Random } from "../fuzz/random.js";
import { faultOf } from "./expectSafe.js";
import { metadataPositions, type Position, positionsOf } from "./positions.js";
import { happyRequest } from "./requests.js";
import { corporaStage, type Routed, type Stage } from "./stage.js";
import { naughtyStrings } from "./strings.js";

/** What was found. */
export interface Findings {
  readonly requests: number;
  readonly positions: number;
  /** At most ten. */
  readonly faults: readonly string[];
}

/** No answer takes this long unless it hangs, in milliseconds. */
const longestMs = 10_000;

/**
 * Sends strings at every position of an operation's request, to a service of its own.
 *
 * @param perPosition how many strings; all of them if `undefined`
 */
export async function sendNaughty(name: string, random: Random, perPosition: number | undefined): Promise<Findings> {
  const stage = corporaStage();
  const routed = stage.operations.find((each) => addressOf(each) === name);
  if (routed === undefined) throw new Error(`There is no operation at ${name}.`);
  const faults: string[] = [];
  let requests = 0;
  const count = (await positionsIn(stage, routed)).length;
  let positions = await positionsIn(stage, routed);
  for (let index = 0; index < count; index += 1) {
    for (const text of stringsFor(random, perPosition)) {
      const position = positions[index];
      if (position === undefined || faults.length === 10) break;
      const request = position.place(text);
      const answer = await inTime(stage.send(request));
      requests += 1;
      const fault = answer === undefined ? "It hangs." : faultOf(answer);
      if (fault !== undefined) faults.push(`${name}, ${position.name}, ${JSON.stringify(text)}: ${fault}`);
      // The row may be gone.
      if (answer !== undefined && answer.status < 300 && routed.operation.method === "DELETE") positions = await positionsIn(stage, routed);
    }
  }
  await stage.service.close({ graceMs: 1_000 });
  return { requests, positions: count, faults };
}

async function positionsIn(stage: Stage, routed: Routed): Promise<readonly Position[]> {
  const request = await happyRequest(stage, routed);
  return [...positionsOf(request, routed), ...metadataPositions(request)];
}

/** `GET /people/{}` */
export function addressOf({ operation, segments }: Routed): string {
  return `${operation.method} /${segments.map((segment) => segment ?? "{}").join("/")}`;
}

function stringsFor(random: Random, count: number | undefined): readonly string[] {
  if (count === undefined) return naughtyStrings;
  return Array.from({ length: count }, () => naughtyStrings[integer(random, naughtyStrings.length)] ?? "");
}

function inTime<T>(answer: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), longestMs);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
