import type { UploadOptions } from "restwright";
import { clamdCheck } from "restwright/clamd";
import { macroCheck, metadataCheck, pdfCheck, pixelCheck, zipCheck } from "restwright/uploads";
import type { Settings } from "./settings.js";

const pictures = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"];

/**
 * How files come in: of every type, but none that does something when it is opened; as avatars pictures only, which everybody may see, without where they were
 * taken. Where there is a clamd, none that it knows.
 */
export function uploadsOf({ clamd }: Settings): UploadOptions {
  const scans = clamd === undefined ? [] : [clamdCheck(clamd)];
  return {
    types: "any",
    checks: [zipCheck(), macroCheck(), pdfCheck(), ...scans],
    forms: { avatars: { types: pictures, checks: [pixelCheck(), ...scans, metadataCheck()], visibility: "public" } },
    isAdmin: ({ claims }) => claims?.["role"] === "admin",
  };
}
