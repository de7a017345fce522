{{- define "malipo.name" -}}
{{- if contains "malipo" .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-malipo{{ end }}
{{- end }}

{{- define "malipo.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{- define "malipo.selector" -}}
app.kubernetes.io/name: malipo
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "malipo.labels" -}}
{{ include "malipo.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* What every pod may do: nothing. */}}
{{- define "malipo.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{- define "malipo.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{/* Variables of every process; secrets come from secrets. */}}
{{- define "malipo.env" -}}
- { name: PUBLIC_URL, value: {{ .Values.publicUrl | quote }} }
- { name: REQUIRE_RUNTIME_ROLE, value: 'true' }
{{- with .Values.databaseWitness.address }}
- { name: DATABASE_WITNESS, value: {{ . | quote }} }
{{- end }}
{{- range $name, $value := .Values.env }}
- { name: {{ $name }}, value: {{ $value | toString | quote }} }
{{- end }}
{{- end }}
