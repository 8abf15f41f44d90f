import type { BlobStore } from "restwright";
import { macroCheck, metadataCheck, pdfCheck, pixelCheck, zipCheck } from "restwright/checks";
import { clamdCheck } from "restwright/clamd";
import type { UploadOptions } from "restwright/uploads";
import type { Settings } from "./settings.js";

const pictures = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"];

/**
 * Uploads accept every type, but no files with active content. Avatars accept only pictures, which are public and stay in caches for a year; their metadata, such as the place where they were
 * taken, is removed. If CLAMD is set, every file is scanned for viruses.
 */
export function uploadOptions({ clamd, durablePieces }: Settings, blobs: BlobStore): UploadOptions {
  const scans = clamd === undefined ? [] : [clamdCheck(clamd)];
  return {
    blobs,
    types: "any",
    durability: durablePieces ? "piece" : "file",
    publicMaxAgeSeconds: 31_536_000,
    checks: [zipCheck(), macroCheck(), pdfCheck(), ...scans],
    forms: { avatars: { types: pictures, checks: [pixelCheck(), ...scans, metadataCheck()], visibility: "public" } },
    isAdmin: ({ claims }) => claims?.["role"] === "admin",
  };
}
