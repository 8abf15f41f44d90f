import { unscannable } from "../rejection.js";
import type { ZipEntry } from "../zip/zipEntry.js";

const parts = /(?:^|\/)(?:content|styles|settings|meta-inf\/manifest)\.xml$/;
const encryption = /[:<]encryption-data[\s>/]/;
/** Addresses of macros, wherever they are, and elements that call them. */
const calls = /vnd\.sun\.star\.(?:script|expand|pkg)|macro:\/\/|[:<]execute-macro[\s>/]|<script:event-listener[\s>/]/;

/** Whether a part of an OpenDocument file may call macros, or say that the file is encrypted. */
export function isOpenDocumentPart({ name }: ZipEntry): boolean {
  return parts.test(name.toLowerCase());
}

/**
 * What runs in a document, by one of its parts. Macros of its own are found by the names of their entries.
 *
 * @throws {ProblemError} UNSCANNABLE where it is encrypted
 */
export function judgeOpenDocument(text: string): string | undefined {
  if (encryption.test(text)) throw unscannable("The document is encrypted.");
  return calls.test(text) ? "calls of macros" : undefined;
}
