/** Prefix of the media types of Office Open XML. */
export const openXml = "application/vnd.openxmlformats-officedocument";

/** Prefix of the media types of OpenDocument. */
export const openDocument = "application/vnd.oasis.opendocument";
