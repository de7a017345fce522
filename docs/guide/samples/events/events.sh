# MALIPO_WEBHOOK_SECRET=whsec_… bash events.sh ID TIMESTAMP SIGNATURE < body.json
# For an event that your server has saved, with the values of its three headers.
key=$(printf '%s' "${MALIPO_WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
expected=v1,$({ printf '%s.%s.' "$1" "$2" && cat; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
case " $3 " in
  *" $expected "*) echo genuine ;;
  *) echo 'not genuine' && exit 1 ;;
esac
