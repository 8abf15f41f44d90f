import { officeZipTypes } from "../office/officeTypes.js";

/** Files that are a ZIP. */
export const zipTypes: ReadonlySet<string> = new Set([
  ...officeZipTypes,
  "application/zip",
  "application/epub+zip",
  "application/java-archive",
  "application/vnd.android.package-archive",
]);
