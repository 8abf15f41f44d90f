import type { Describing } from "../../../engine/description/describing.js";
import { jsonOf } from "../../../engine/description/media.js";
import type { DescribedAnswer } from "../../../engine/operation/description.js";
import { jobSchema } from "./jobSchema.js";

/** The answer to a request that goes on as a job. */
export function describeAcceptedJob({ components }: Describing, text: string): DescribedAnswer {
  return { status: 202, text, headers: ["Location", "Retry-After", "Preference-Applied"], bodies: [jsonOf({ ...jobSchema(components) })] };
}
