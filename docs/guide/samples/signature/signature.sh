# bash signature.sh

# sign KEY NAME=VALUE … prints the hash
sign() {
  local key=$1 text
  shift
  text=$(printf '%s\n' "$@" | grep -v '^hash=' | LC_ALL=C sort -t= -k1,1 | paste -sd '&' -)
  printf '%s' "$text" | openssl dgst -sha256 -hmac "$key" | sed 's/^.* //'
}

sign demo-security-key vid=demo biller_name=kplc_prepaid amount=100 \
  account=37200009901 merchant_reference=order-1001
