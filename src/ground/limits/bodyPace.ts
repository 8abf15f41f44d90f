import type { BodyPace } from "../http/body/bodyWatch.js";
import type { Limits } from "./limits.js";

/** How fast the bodies of a service must come. */
export function bodyPace({ bodyStallMs, bodyBytesPerSecond }: Limits): BodyPace {
  return { stallMs: bodyStallMs, bytesPerSecond: bodyBytesPerSecond };
}
