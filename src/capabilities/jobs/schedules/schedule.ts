import { callable, listOf, oneOf, strict, text } from "../../../ground/options/index.js";
import { ConfigurationError } from "../../../ground/problem/index.js";
import { quoteValue } from "../../../ground/problem/quote.js";
import { checkName } from "../own/checkName.js";

/** Jobs of one of the handlers at times of a calendar. */
export interface Schedule<Name extends string = string> {
  /** Names its ticks in the storage: processes with a schedule of one name share its ticks. Up to 64 letters, digits, `-` and `_`. */
  readonly name: string;
  /** When: five fields of cron (`0 2 * * *`), or six with seconds first. */
  readonly cron: string;
  /** Where its times are: a name of the IANA database, such as `Europe/Berlin` (`UTC`). */
  readonly zone?: string | undefined;
  /** The name of the handler. */
  readonly job: Name;
  /** Makes the input of the job of a tick, before its time. Without it the job has none. */
  readonly input?: ((tick: { readonly at: Date }) => unknown) | undefined;
  /** The tenant of the jobs. */
  readonly tenant?: string | undefined;
  /** What happens to ticks that could not begin within five minutes: the last of them runs late (`once`, the default), or all are left out (`skip`). */
  readonly ifMissed?: "once" | "skip" | undefined;
}

const shape = () =>
  strict<Schedule>({ name: text(), cron: text(), zone: text(), job: text(), input: callable(), tenant: text(), ifMissed: oneOf("once", "skip") }, [
    "name",
    "cron",
    "job",
  ]);

/** The rule of the option `schedules`. */
export const schedulesRule = () => listOf(shape(), "an array of schedules");

/** @throws {ConfigurationError} for an invalid name, two of one name, and a handler that does not exist */
export function checkSchedules(schedules: readonly Schedule[], handlers: ReadonlySet<string>): void {
  const names = new Set<string>();
  for (const { name, job } of schedules) {
    checkName("schedule", name);
    if (names.has(name)) throw new ConfigurationError(`jobs(): two schedules have the name "${name}".`);
    names.add(name);
    if (handlers.has(job)) continue;
    const known = [...handlers].join(", ");
    throw new ConfigurationError(`jobs(): the schedule "${name}" names the handler ${quoteValue(job)}; there is ${known === "" ? "none" : known}.`);
  }
}
