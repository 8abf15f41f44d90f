import type { Limits } from "../limits/limits.js";
import type { ListSettings } from "../operation/environment.js";
import { daysOf } from "../query/day.js";
import { ignoring, querySettings } from "../query/settings.js";
import type { ListOptions } from "./options.js";

/**
 * The settings of lists with their defaults.
 *
 * @throws {ConfigurationError} for an unknown time zone or a pattern that would ignore everything
 */
export function listSettings(options: ListOptions = {}, limits: Limits): ListSettings {
  const { ignoreParameters = [], overflow = "refuse", timeZone = "UTC", envelope = "data" } = options;
  return { query: querySettings(limits, { readDay: daysOf(timeZone), overflow, ignores: ignoring(ignoreParameters) }), envelope };
}
