import { payloadTooLarge } from "../../../ground/http/body/body.js";
import { malformed } from "../../../ground/http/json/checkJson.js";
import { writeJson } from "../../../ground/http/json/writeJson.js";
import type { Limits } from "../../../ground/limits/limits.js";

/**
 * Checks that the body of an item is within the limits of a separate request. The bytes of a parsed body are not known any more, so its size is that of
 * its JSON without spaces, in UTF-8.
 *
 * @returns a promise only if the body has to be serialized
 * @throws {ProblemError} PAYLOAD_TOO_LARGE, MALFORMED_JSON for too many values: as for a separate request
 */
export function requireSingleBody(body: unknown, { jsonBodyBytes, jsonValues }: Limits): void | Promise<void> {
  const weight: Weight = { values: 0, minBytes: 0, maxBytes: 0 };
  weigh(body, jsonBodyBytes, weight);
  const { values, minBytes, maxBytes } = weight;
  const refuse = (bytes: number): void => {
    if (bytes > jsonBodyBytes) throw payloadTooLarge(jsonBodyBytes);
    if (values > jsonValues) throw malformed(`There are more than ${jsonValues} values.`, []);
  };
  // Most bodies are far below the limit. Only the others are serialized to measure them.
  return minBytes <= jsonBodyBytes && maxBytes > jsonBodyBytes ? writtenBytes(body).then(refuse) : refuse(minBytes);
}

/** The number of values of a body, and bounds on the bytes of its JSON. */
interface Weight {
  values: number;
  minBytes: number;
  maxBytes: number;
}

/** The longest number, such as `-1.2345678901234567e-300`, and a comma. */
const maxScalarBytes = 26;
/** A control character: `\u0000`. */
const maxCharacterBytes = 6;

/** Stops as soon as the body is known to be too large. Recursive: the parser has limited the depth. */
function weigh(value: unknown, limitBytes: number, weight: Weight): void {
  weight.values += 1;
  if (typeof value === "string") weighText(value, weight);
  else if (typeof value === "object" && value !== null) {
    weight.minBytes += 2;
    weight.maxBytes += 3;
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length && weight.minBytes <= limitBytes; index++) weigh(value[index], limitBytes, weight);
      return;
    }
    for (const name of Object.keys(value)) {
      if (weight.minBytes > limitBytes) return;
      weighText(name, weight);
      weigh((value as Readonly<Record<string, unknown>>)[name], limitBytes, weight);
    }
  } else {
    weight.minBytes += 1;
    weight.maxBytes += maxScalarBytes;
  }
}

function weighText({ length }: string, weight: Weight): void {
  weight.minBytes += length + 2;
  weight.maxBytes += maxCharacterBytes * length + 3;
}

async function writtenBytes(body: unknown): Promise<number> {
  const json = await writeJson(body as object);
  return typeof json === "string" ? Buffer.byteLength(json) : json.length;
}
