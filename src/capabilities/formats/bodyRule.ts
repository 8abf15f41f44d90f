import type { DescribedRows } from "../../engine/operation/answers/answerFormat.js";
import type { BodyRule } from "../../engine/operation/operation.js";
import { parseMediaType } from "../../ground/http/headers/mediaType.js";
import type { Limits } from "../../ground/limits/limits.js";
import type { Format, SentBody } from "./format.js";

/** The rule of a body that may have further formats. */
export function withFormats(rule: BodyRule, formats: readonly Format[], rows: DescribedRows, limits: Limits): BodyRule {
  const byType = new Map(formats.flatMap(({ types, read }) => (read === undefined ? [] : types.map((type) => [type, read] as const))));
  const read = (body: SentBody, contentType: string) => {
    const type = parseMediaType(contentType)?.type ?? "";
    return byType.get(type)?.(body, contentType, rows, limits);
  };
  return {
    ...rule,
    accepts: (type) => rule.accepts(type) || byType.has(type),
    supported: [...rule.supported, ...byType.keys()],
    read: (bytes, contentType) => read({ bytes }, contentType),
    readParsed: (parsed, contentType) => read({ parsed }, contentType),
  };
}
