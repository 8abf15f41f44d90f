import { unknownMember } from "../../../engine/resource/write/unknownMembers.js";
import { parseMediaType } from "../../../ground/http/headers/mediaType.js";
import { isObject } from "../../../ground/http/isObject.js";
import { pointer } from "../../../ground/http/pointer.js";
import { ProblemError, type ProblemItem } from "../../../ground/problem/index.js";
import { maxPresignedSeconds } from "../../../parts/auth/aws4/maxPresignedSeconds.js";
import { fileName } from "../../../parts/blobs/fileName.js";

/** How a client describes a file for which it requests a URL. */
export interface PresignRequest {
  /** Sanitized; safe to store and display. */
  readonly filename: string;
  readonly contentType: string;
  /** In bytes. */
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string | undefined;
  /** Seconds. */
  readonly expiresIn: number | undefined;
  /** Whether the client will send the file in parts. */
  readonly multipart: boolean;
}

const maxNameCharacters = 4_096;
const maxTypeCharacters = 255;

interface Rule {
  readonly isRequired?: true;
  /** Description of valid values. */
  readonly must: string;
  fits(value: unknown): boolean;
}

const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["filename", { isRequired: true, must: "a name", fits: (value) => typeof value === "string" && value !== "" && value.length <= maxNameCharacters }],
  ["contentType", { isRequired: true, must: "a media type, such as image/png", fits: isMediaType }],
  ["size", { isRequired: true, must: "a whole number of bytes", fits: (value) => Number.isSafeInteger(value) && Number(value) >= 0 }],
  ["sha256", { must: "64 hexadecimal digits", fits: (value) => typeof value === "string" && /^[0-9a-f]{64}$/i.test(value) }],
  ["expiresIn", { must: `a whole number of seconds from 1 to ${maxPresignedSeconds}`, fits: isSeconds }],
  ["multipart", { must: "true or false", fits: (value) => typeof value === "boolean" }],
]);

/**
 * Reads the body of a request for a URL.
 *
 * @throws {ProblemError} VALIDATION_FAILED with all errors
 */
export function readPresignRequest(body: unknown): PresignRequest {
  if (!isObject(body)) throw invalid([{ code: "INVALID_VALUE", detail: "The body must be a JSON object.", pointer: "" }]);
  const unknown = Object.keys(body).filter((name) => !rules.has(name));
  const problems = [...unknown.map((name) => unknownMember([name], rules.keys())), ...faultsOf(body)];
  if (problems.length > 0) throw invalid(problems);
  const { filename, contentType, size, sha256, expiresIn, multipart } = body;
  return {
    filename: fileName(String(filename)),
    contentType: String(contentType),
    size: Number(size),
    sha256: sha256 === undefined ? undefined : String(sha256).toLowerCase(),
    expiresIn: expiresIn === undefined ? undefined : Number(expiresIn),
    multipart: multipart === true,
  };
}

/** The problem for members with invalid values. */
export function invalid(errors: readonly ProblemItem[]): ProblemError {
  const [first] = errors;
  const detail = errors.length === 1 && first !== undefined ? first.detail : `${errors.length} members are not valid.`;
  return new ProblemError("VALIDATION_FAILED", detail, { errors });
}

function faultsOf(body: Readonly<Record<string, unknown>>): ProblemItem[] {
  return [...rules].flatMap(([name, { isRequired, must, fits }]): ProblemItem[] => {
    const value = body[name];
    if (value === undefined && isRequired === undefined) return [];
    if (value !== undefined && fits(value)) return [];
    const detail = value === undefined ? `"${name}" is required: ${must}.` : `"${name}" must be ${must}.`;
    return [{ code: "INVALID_VALUE", detail, pointer: pointer([name]) }];
  });
}

function isMediaType(value: unknown): boolean {
  return typeof value === "string" && value.length <= maxTypeCharacters && /^[\x20-\x7e]*$/.test(value) && parseMediaType(value) !== undefined;
}

/** Whether a value is a valid lifetime of a URL, in seconds. */
export function isSeconds(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= maxPresignedSeconds;
}
