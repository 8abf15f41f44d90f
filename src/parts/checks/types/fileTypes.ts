import { openDocument, openXml } from "./officeNames.js";

/** A known file type. */
export interface FileType {
  /** As registered with IANA, or its most common name. */
  readonly type: string;
  /** In lower case, without the dot; the usual one first. */
  readonly extensions: readonly string[];
  /** Other names that clients use. */
  readonly aliases?: readonly string[] | undefined;
}

const images: readonly FileType[] = [
  { type: "image/png", extensions: ["png"], aliases: ["image/x-png", "image/apng", "image/vnd.mozilla.apng"] },
  { type: "image/jpeg", extensions: ["jpg", "jpeg", "jpe", "jfif"], aliases: ["image/jpg", "image/pjpeg"] },
  { type: "image/gif", extensions: ["gif"] },
  { type: "image/webp", extensions: ["webp"] },
  { type: "image/avif", extensions: ["avif"] },
  { type: "image/heic", extensions: ["heic", "heif", "hif"], aliases: ["image/heif", "image/heic-sequence", "image/heif-sequence"] },
  { type: "image/bmp", extensions: ["bmp", "dib"], aliases: ["image/x-bmp", "image/x-ms-bmp"] },
  { type: "image/tiff", extensions: ["tif", "tiff"] },
  { type: "image/vnd.microsoft.icon", extensions: ["ico"], aliases: ["image/x-icon", "image/ico"] },
  { type: "image/jxl", extensions: ["jxl"] },
  { type: "image/svg+xml", extensions: ["svg"], aliases: ["image/svg", "application/xml", "text/xml"] },
  { type: "image/vnd.adobe.photoshop", extensions: ["psd"], aliases: ["image/x-photoshop", "application/x-photoshop"] },
];

const soundsAndFilms: readonly FileType[] = [
  { type: "audio/mpeg", extensions: ["mp3"], aliases: ["audio/mp3", "audio/x-mp3", "audio/x-mpeg"] },
  { type: "audio/wav", extensions: ["wav"], aliases: ["audio/x-wav", "audio/wave", "audio/vnd.wave"] },
  { type: "audio/flac", extensions: ["flac"], aliases: ["audio/x-flac"] },
  { type: "audio/ogg", extensions: ["ogg", "oga", "opus"], aliases: ["application/ogg", "audio/opus", "video/ogg"] },
  { type: "audio/aac", extensions: ["aac"], aliases: ["audio/x-aac", "audio/aacp"] },
  { type: "audio/mp4", extensions: ["m4a", "m4b"], aliases: ["audio/x-m4a", "audio/m4a", "video/mp4"] },
  { type: "video/mp4", extensions: ["mp4", "m4v"], aliases: ["video/x-m4v", "application/mp4"] },
  { type: "video/quicktime", extensions: ["mov", "qt"] },
  { type: "video/3gpp", extensions: ["3gp"], aliases: ["audio/3gpp"] },
  { type: "video/webm", extensions: ["webm"], aliases: ["audio/webm"] },
  { type: "video/matroska", extensions: ["mkv", "mka"], aliases: ["video/x-matroska", "audio/x-matroska", "audio/matroska"] },
  { type: "video/vnd.avi", extensions: ["avi"], aliases: ["video/x-msvideo", "video/avi", "video/msvideo"] },
];

const documents: readonly FileType[] = [
  { type: "application/pdf", extensions: ["pdf"], aliases: ["application/x-pdf"] },
  { type: "application/rtf", extensions: ["rtf"], aliases: ["text/rtf", "application/msword"] },
  { type: `${openXml}.wordprocessingml.document`, extensions: ["docx", "dotx"], aliases: [`${openXml}.wordprocessingml.template`] },
  { type: `${openXml}.spreadsheetml.sheet`, extensions: ["xlsx", "xltx"], aliases: [`${openXml}.spreadsheetml.template`] },
  {
    type: `${openXml}.presentationml.presentation`,
    extensions: ["pptx", "potx", "ppsx"],
    aliases: [`${openXml}.presentationml.template`, `${openXml}.presentationml.slideshow`],
  },
  { type: "application/vnd.ms-word.document.macroenabled.12", extensions: ["docm", "dotm"] },
  { type: "application/vnd.ms-excel.sheet.macroenabled.12", extensions: ["xlsm", "xltm", "xlam"] },
  { type: "application/vnd.ms-powerpoint.presentation.macroenabled.12", extensions: ["pptm", "potm", "ppsm", "ppam"] },
  { type: `${openDocument}.text`, extensions: ["odt"] },
  { type: `${openDocument}.spreadsheet`, extensions: ["ods"] },
  { type: `${openDocument}.presentation`, extensions: ["odp"] },
  { type: "application/epub+zip", extensions: ["epub"] },
  { type: "application/msword", extensions: ["doc", "dot"] },
  { type: "application/vnd.ms-excel", extensions: ["xls", "xlt"] },
  { type: "application/vnd.ms-powerpoint", extensions: ["ppt", "pot", "pps"] },
];

const archivesAndPrograms: readonly FileType[] = [
  { type: "application/zip", extensions: ["zip"], aliases: ["application/x-zip-compressed", "application/x-zip"] },
  { type: "application/java-archive", extensions: ["jar", "war", "ear"], aliases: ["application/x-java-archive"] },
  { type: "application/vnd.android.package-archive", extensions: ["apk"] },
  { type: "application/gzip", extensions: ["gz", "tgz"], aliases: ["application/x-gzip"] },
  { type: "application/x-bzip2", extensions: ["bz2"], aliases: ["application/bzip2"] },
  { type: "application/x-xz", extensions: ["xz"] },
  { type: "application/zstd", extensions: ["zst"] },
  { type: "application/x-7z-compressed", extensions: ["7z"] },
  { type: "application/vnd.rar", extensions: ["rar"], aliases: ["application/x-rar-compressed", "application/x-rar"] },
  { type: "application/x-tar", extensions: ["tar"] },
  { type: "application/x-msi", extensions: ["msi"] },
  { type: "application/x-cfb", extensions: [] },
  {
    type: "application/vnd.microsoft.portable-executable",
    extensions: ["exe", "dll"],
    aliases: ["application/x-msdownload", "application/x-dosexec"],
  },
  { type: "application/x-elf", extensions: ["so", "elf"], aliases: ["application/x-executable", "application/x-sharedlib"] },
  { type: "application/wasm", extensions: ["wasm"] },
  { type: "application/vnd.sqlite3", extensions: ["sqlite", "sqlite3", "db"], aliases: ["application/x-sqlite3"] },
];

const fonts: readonly FileType[] = [
  { type: "font/woff", extensions: ["woff"], aliases: ["application/font-woff"] },
  { type: "font/woff2", extensions: ["woff2"] },
  { type: "font/otf", extensions: ["otf"], aliases: ["application/x-font-otf", "application/vnd.ms-opentype"] },
  { type: "font/ttf", extensions: ["ttf"], aliases: ["application/x-font-ttf"] },
];

const texts: readonly FileType[] = [
  { type: "text/plain", extensions: ["txt", "text", "log"] },
  // Windows with Excel declares this type for CSV.
  {
    type: "text/csv",
    extensions: ["csv"],
    aliases: ["application/csv", "text/x-csv", "text/comma-separated-values", "application/vnd.ms-excel", "text/plain"],
  },
  { type: "text/tab-separated-values", extensions: ["tsv", "tab"], aliases: ["text/plain"] },
  { type: "text/markdown", extensions: ["md", "markdown"], aliases: ["text/x-markdown", "text/plain"] },
  { type: "application/json", extensions: ["json", "geojson"], aliases: ["text/json", "application/x-json", "text/plain"] },
  {
    type: "application/x-ndjson",
    extensions: ["ndjson", "jsonl"],
    aliases: ["application/jsonl", "application/ndjson", "application/json", "text/plain"],
  },
  { type: "application/xml", extensions: ["xml"], aliases: ["text/xml", "text/plain"] },
  { type: "text/html", extensions: ["html", "htm", "xhtml"], aliases: ["application/xhtml+xml"] },
];

/** All types that {@link detectType} can tell apart. */
export const fileTypes: readonly FileType[] = [...images, ...soundsAndFilms, ...documents, ...archivesAndPrograms, ...fonts, ...texts];

const byType: ReadonlyMap<string, FileType> = new Map(fileTypes.map((fileType) => [fileType.type, fileType]));

/** Looks up a type by its own name; `undefined` if it is unknown. */
export function fileTypeOf(type: string): FileType | undefined {
  return byType.get(type);
}

/** Replaces another name of a type with its own: `image/jpg` → `image/jpeg`. */
export function canonicalType(type: string): string {
  if (byType.has(type)) return type;
  return fileTypes.findLast(({ aliases = [] }) => aliases.includes(type))?.type ?? type;
}
